import Foundation

/// An open regular file, so that the file that was checked is the file that is sent.
public final class OpenFile: Sendable {
  /// The descriptor, which is closed with this object.
  public let descriptor: Int32
  /// The size in bytes when the file was opened.
  public let size: Int64
  /// The use of the file, which lasts until it has been sent.
  public let use = Use()

  /// Lives as long as something reads a file, even through another descriptor.
  public final class Use: Sendable {}

  /// Opens the file at `path`. Returns `nil` if there is no regular file at this path, or it may not be read.
  ///
  /// - Parameter throughLinks: whether `path` may contain symbolic links. If false, `path` must be a resolved path.
  ///   This prevents access through a link that was put there after the path was resolved.
  /// - Throws: ``OpeningError`` if the system cannot open files at the moment, which does not show whether the file is
  ///   there.
  public init?(_ path: String, throughLinks: Bool = true) throws(OpeningError) {
    // Without O_NONBLOCK, opening a named pipe would block.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      let number = errno
      guard Self.absences.contains(number) else { throw OpeningError(number: number) }
      return nil
    }
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

  /// The error numbers that describe the path rather than the state of the system.
  private static let absences: Set<Int32> = [
    ENOENT, ENOTDIR, ELOOP, EACCES, ENAMETOOLONG, ENXIO, ENODEV,
  ]

  /// Reads up to `count` bytes from `offset`.
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

/// The system cannot open a file at the moment.
public struct OpeningError: Error, Hashable, Sendable {
  /// The system's error number.
  public let number: Int32
}
