import Foundation

/// A regular file that is open, so that what was looked at is what is sent.
public final class OpenFile: Sendable {
  /// The descriptor, which belongs to this.
  public let descriptor: Int32
  /// The number of bytes that the file had when it was opened.
  public let size: Int64

  /// Opens the file at `path`; `nil` if there is no such regular file.
  ///
  /// - Parameter throughLinks: whether symbolic links may lead there. Where not, `path` has to be what it leads to: it
  ///   was resolved and found to be in its place before, and someone may have put a link into it since.
  public init?(_ path: String, throughLinks: Bool = true) {
    // Without O_NONBLOCK, a pipe by this name would keep us.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG,
      throughLinks || Self.path(of: descriptor) == path
    else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
    size = Int64(information.st_size)
  }

  deinit { close(descriptor) }

  /// Up to `count` bytes from `offset`.
  func read(_ count: Int, at offset: Int64) -> Data {
    var data = Data(count: count)
    var done = 0
    while done < count {
      let got = data.withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress.map { $0 + done }, count - done, Int(offset) + done)
      }
      guard got > 0 else { break }
      done += got
    }
    return data.prefix(done)
  }

  /// The path of an open file according to the kernel.
  private static func path(of descriptor: Int32) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
