import Glibc

/// The bytes of a local file.
public final class FileByteSource: ByteSource {
  /// The file's length in bytes when it was opened.
  public let size: Int64
  /// The descriptor of the open file, valid as long as this object.
  public let descriptor: Int32
  private let name: String

  /// Opens a regular file for reading.
  ///
  /// - Parameters:
  ///   - name: the file's name in errors; its path by default.
  ///   - throughLinks: whether the path may lead through symbolic links. If not, an absolute `path` must contain no
  ///     links: it was resolved before, and a link may have been put into it since.
  /// - Throws: ``MediaError`` with code `readFailed`.
  public init(path: String, named name: String? = nil, throughLinks: Bool = true) throws {
    let name = name ?? path
    self.name = name
    descriptor = openFile(path, O_RDONLY)
    guard descriptor >= 0 else {
      throw MediaError(
        .readFailed, "cannot open the file", on: name,
        remedy: "check that it exists and is readable",
        systemError: errno)
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      throw MediaError(
        .readFailed, "cannot open the file", on: name,
        remedy: isFolder ? "use a file in this folder" : "use a regular file")
    }
    guard throughLinks || !path.hasPrefix("/") || Self.path(of: descriptor) == path else {
      close(descriptor)
      throw MediaError(
        .readFailed, "the file was replaced by a symbolic link", on: name,
        remedy: "do not move or replace media while it is in use")
    }
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// The path of an open file according to the kernel.
  private static func path(of descriptor: Int32) -> String? {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/fd/\(descriptor)", &target, target.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: target[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Reads at `offset`. The count is short only at the end of the file.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw MediaError(
          .readFailed, "cannot read the file", on: name, systemError: errno)
      }
    }
  }
}
