import Foundation

/// The part of a file that an upload sends.
final class FileSource {
  /// The number of bytes to send.
  let length: Int64
  private let descriptor: Int32
  private let path: String
  private let url: String
  private let start: Int64
  private var position: Int64 = 0
  private let progress: (@Sendable (Int64) -> Void)?

  /// Opens `length` bytes of the file at `path` from `offset`, or the rest of the file.
  init(
    path: String, offset: Int64, length: Int64?, url: String,
    progress: (@Sendable (Int64) -> Void)?
  ) throws(ClientError) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .localFile("read", path, url: url) }
    var information = stat()
    guard fstat(descriptor, &information) == 0 else {
      defer { close(descriptor) }
      throw .localFile("read", path, url: url)
    }
    let available = Int64(information.st_size) - offset
    guard offset >= 0, available >= 0, length ?? 0 >= 0, length ?? 0 <= available else {
      close(descriptor)
      throw ClientError(
        .localFile,
        "cannot read: \(path): it has \(information.st_size) bytes, fewer than requested",
        url: url)
    }
    self.descriptor = descriptor
    self.path = path
    self.url = url
    self.length = length ?? available
    self.progress = progress
    start = offset
  }

  deinit {
    close(descriptor)
  }

  /// Reads bytes into `buffer`, and returns their number; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ClientError) -> Int {
    let wanted = Int(min(Int64(buffer.count), length - position))
    guard wanted > 0 else { return 0 }
    while true {
      let count = pread(descriptor, buffer.baseAddress, wanted, off_t(start + position))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .localFile("read", path, url: url) }
      guard count > 0 else {
        throw ClientError(
          .localFile, "cannot read: \(path): it became shorter while it was sent", url: url)
      }
      position += Int64(count)
      progress?(position)
      return count
    }
  }

  /// Moves to `position` within the part.
  func seek(to position: Int64) {
    self.position = max(0, min(length, position))
  }
}

extension ClientError {
  /// Creates an error from the last system error about the file at `path`.
  static func localFile(_ verb: String, _ path: String, url: String) -> ClientError {
    let number = errno
    let reason = String(cString: strerror(number))
    return ClientError(
      .localFile, "cannot \(verb): \(path): \(reason)", url: url, systemError: number)
  }
}
