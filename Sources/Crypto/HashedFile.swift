import Foundation

/// A file that is hashed while it is written.
///
/// The bytes are hashed in memory, so the digest is that of the written bytes, even if the disk changes them. All
/// methods block on the disk.
public final class HashedFile {
  /// The file's path.
  public let path: String
  /// The file's length in bytes.
  public private(set) var byteCount: Int64 = 0
  private let descriptor: Int32
  private let hashesBlocks: Bool
  private var hasher = SHA256()
  /// Used instead of `hasher` if block digests are needed too.
  private var blockHasher: BlockHasher?

  /// Opens the file at `path`, which is created, for its owner only, if it is missing.
  ///
  /// - Parameters:
  ///   - isKept: whether existing content stays. If so, call ``hashContents()`` before the first write. Otherwise the
  ///     file starts empty.
  ///   - hashesBlocks: whether ``finishBlocks()`` will be called.
  public init(
    _ path: String, keeping isKept: Bool = false, hashingBlocks hashesBlocks: Bool = false
  ) throws(FileWriteError) {
    self.path = path
    self.hashesBlocks = hashesBlocks
    if hashesBlocks { blockHasher = BlockHasher() }
    let flags = O_CREAT | O_CLOEXEC | (isKept ? O_RDWR : O_WRONLY | O_TRUNC)
    descriptor = open(path, flags, 0o600)
    guard descriptor >= 0 else { throw FileWriteError(path: path, number: errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Hashes the existing content of a file that is kept, and moves to its end.
  ///
  /// - Parameter isWanted: called before each MiB.
  /// - Returns: `false` if `isWanted` ended the reading.
  @discardableResult
  public func hashContents(while isWanted: () -> Bool = { true }) throws(FileReadError) -> Bool {
    try Digest.read(descriptor, of: path, while: isWanted) { bytes in
      hash(bytes)
      byteCount += Int64(bytes.count)
    }
  }

  /// Appends bytes. If this fails, the file may contain some of them, which then count as written.
  public func write(_ bytes: UnsafeRawBufferPointer) throws(FileWriteError) {
    var rest = bytes
    while !rest.isEmpty {
      let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        throw FileWriteError(path: path, number: count == 0 ? EIO : errno)
      }
      hash(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      byteCount += Int64(count)
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Appends data.
  public func write(_ data: Data) throws(FileWriteError) {
    // Typed throws do not pass through `withUnsafeBytes` of Data.
    var failure: FileWriteError?
    data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
      do throws(FileWriteError) { try write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private func hash(_ bytes: UnsafeRawBufferPointer) {
    if hashesBlocks { blockHasher?.update(bytes) } else { hasher.update(bytes) }
  }

  /// Brings the file's content to disk.
  public func synchronize() throws(FileWriteError) {
    guard fsync(descriptor) == 0 else { throw FileWriteError(path: path, number: errno) }
  }

  /// Ends the hashing and returns the SHA-256 of the file. Call it once, after the last write.
  public func finish() -> Digest {
    if let blocks = finishBlocks() { return blocks.content }
    var finished = SHA256()
    swap(&hasher, &finished)
    return finished.finalize()
  }

  /// Ends the hashing and returns the file's block digests; `nil` if the file was opened without `hashingBlocks`. Call
  /// it once, after the last write, instead of ``finish()``.
  public func finishBlocks() -> BlockDigests? { blockHasher.take()?.finalize() }
}

/// A file that the system cannot write.
public struct FileWriteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file.
  public let path: String
  /// The system's error number.
  public let number: Int32

  /// Creates an error from the system's error number.
  public init(path: String, number: Int32) {
    self.path = path
    self.number = number
  }

  /// Whether the disk is full, or its quota exceeded.
  public var isDiskFull: Bool { [ENOSPC, EDQUOT].contains(number) }

  /// The system's text for the error, e.g. `No space left on device`.
  public var reason: String { String(cString: strerror(number)) }

  /// The file and the reason.
  public var description: String { "cannot write: \(path): \(reason)" }
}
