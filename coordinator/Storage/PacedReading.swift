import Crypto
import Foundation

/// Reads a file from its first to its last byte at a pace that the caller controls. Blocks.
final class PacedReading {
  /// The reason why a file was not read to its end.
  enum Failure: Error {
    /// The `pace` closure threw an error.
    case interrupted(any Error)
    /// The file cannot be read.
    case unreadable(String)
  }

  /// Why a file was not opened.
  struct OpeningFailure: Error {
    /// The system's error number.
    let number: Int32

    /// Whether there is no file.
    var isAbsence: Bool { number == ENOENT || number == ENOTDIR }
  }

  /// The file's inode number.
  let inode: UInt64
  /// The file's length in bytes when it was opened.
  let byteCount: Int64
  private let path: String
  private let descriptor: Int32

  /// Opens the file at `path`; `nil` if there is no such regular file.
  convenience init?(_ path: String) {
    do { try self.init(opening: path) } catch { return nil }
  }

  /// Opens the file at `path`.
  ///
  /// - Throws: the system's error number; `EINVAL` if this is not a regular file.
  init(opening path: String) throws(OpeningFailure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw OpeningFailure(number: errno) }
    var information = stat()
    guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw OpeningFailure(number: EINVAL)
    }
    self.path = path
    self.descriptor = descriptor
    inode = UInt64(information.st_ino)
    byteCount = Int64(information.st_size)
  }

  deinit { close(descriptor) }

  /// Drops the file from the page cache, so that reading it reads the disk.
  func forget() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  /// Calls `body` with each of the file's blocks. All but the last have the standard block size.
  ///
  /// - Parameters:
  ///   - pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  ///   - body: called with a block and its number; returns whether to continue.
  func forEachBlock(
    pace: (Int) throws -> Void, _ body: (Int, UnsafeRawBufferPointer) -> Bool
  ) throws(Failure) {
    FileReads.begin(path)
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: BlockDigests.usualBlockSize, alignment: 16)
    defer { buffer.deallocate() }
    for (number, offset) in stride(from: 0, to: byteCount, by: buffer.count).enumerated() {
      let length = Int(min(Int64(buffer.count), byteCount - offset))
      do { try pace(length) } catch { throw .interrupted(error) }
      var filled = 0
      while filled < length {
        let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<length])
        let count = pread(descriptor, rest.baseAddress, rest.count, Int(offset) + filled)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .unreadable(String(cString: strerror(errno))) }
        guard count > 0 else { throw .unreadable("it was cut short") }
        filled += count
      }
      guard body(number, UnsafeRawBufferPointer(rebasing: buffer[..<length])) else { return }
    }
  }

  /// The SHA-256 of the file.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func digest(pace: (Int) throws -> Void) throws(Failure) -> Digest {
    var hasher = SHA256()
    try forEachBlock(pace: pace) { _, bytes in
      hasher.update(bytes)
      return true
    }
    return hasher.finalize()
  }

  /// Whether the file ends with the SHA-256 of the bytes before it.
  ///
  /// - Parameter pace: called with the number of bytes about to be read; an error that it throws ends the reading.
  func endsWithItsDigest(pace: (Int) throws -> Void) throws(Failure) -> Bool {
    let end = byteCount - Int64(Digest.byteCount)
    var hasher = SHA256()
    var rest: [UInt8] = []
    try forEachBlock(pace: pace) { number, bytes in
      let start = Int64(number) * Int64(BlockDigests.usualBlockSize)
      let hashed = Int(max(0, min(Int64(bytes.count), end - start)))
      hasher.update(UnsafeRawBufferPointer(rebasing: bytes[..<hashed]))
      rest += bytes[hashed...]
      return true
    }
    let found = hasher.finalize()
    return end >= 0 && found.bytes.elementsEqual(rest)
  }
}
