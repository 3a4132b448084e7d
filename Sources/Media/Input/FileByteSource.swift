import Glibc

/// The bytes of a local file.
public final class FileByteSource: ByteSource {
  /// The file's length in bytes when it was opened.
  public let size: Int64
  private let descriptor: Int32
  private let path: String

  /// Opens a regular file for reading.
  ///
  /// - Throws: ``MediaError`` with code `readFailed`.
  public init(path: String) throws {
    self.path = path
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw MediaError(
        .readFailed, "cannot open the file", on: path,
        remedy: "check that it exists and is readable",
        cause: String(cString: strerror(errno)))
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw MediaError(.readFailed, "cannot open the file", on: path, remedy: "name a regular file")
    }
    size = Int64(status.st_size)
  }

  deinit { close(descriptor) }

  /// Reads at `offset`; a short count only where the file ends.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = pread(descriptor, buffer.baseAddress, buffer.count, Int(offset))
      if count >= 0 { return count }
      guard errno == EINTR else {
        throw MediaError(
          .readFailed, "cannot read the file", on: path, cause: String(cString: strerror(errno)))
      }
    }
  }
}
