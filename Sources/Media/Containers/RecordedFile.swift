import Crypto
import Glibc

/// An open file, and the checksums of what was written to it.
struct RecordedFile: Sendable {
  /// The descriptor, which its owner closes.
  let descriptor: Int32
  private(set) var blocks = WrittenBlocks()

  /// Why a file could not be written.
  enum Failure: Error, Hashable {
    /// A system call failed with this `errno`.
    case system(Int32)
    /// The bytes read back differ from what was written.
    case changed

    /// The `errno`.
    var number: Int32 {
      switch self {
      case .system(let number): number
      case .changed: EIO
      }
    }
  }

  /// Creates the record of an empty file.
  init(descriptor: Int32) { self.descriptor = descriptor }

  /// The maximum number of zeros that are written at once.
  private static let zeroCount: Int64 = 1 << 18

  /// Writes bytes. A gap before `offset` is filled with zeros.
  ///
  /// - Throws: ``Failure``.
  mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
    while offset > blocks.byteCount {
      let end = blocks.byteCount
      let zeros = [UInt8](repeating: 0, count: Int(min(offset - end, Self.zeroCount)))
      try zeros.withUnsafeBytes { try write($0, at: end) }
    }
    // Without a copy of the record, which would have to be copied again to change it.
    let descriptor = descriptor
    let isRecorded = blocks.write(bytes, at: offset) {
      Self.read(from: descriptor, at: $0, count: $1)
    }
    guard isRecorded else { throw Failure.changed }
    var written = 0
    while written < bytes.count {
      let count = pwrite(
        descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written,
        Int(offset) + written)
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw Failure.system(errno)
      }
      written += count
    }
  }

  /// Begins to bring what was written to the disk: Linux does that when a program says that it does not need it in
  /// memory.
  func startBringingToDisk() { _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) }

  /// Brings what was written to the disk.
  ///
  /// - Throws: ``Failure``.
  func bringToDisk() throws {
    guard fsync(descriptor) == 0 else { throw Failure.system(errno) }
  }

  /// Reads up to `count` bytes from an offset on.
  func read(at offset: Int64, count: Int) -> [UInt8] {
    Self.read(from: descriptor, at: offset, count: count)
  }

  private static func read(from descriptor: Int32, at offset: Int64, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = bytes.withUnsafeMutableBytes {
        pread(
          descriptor, $0.baseAddress?.advanced(by: filled), count - filled, Int(offset) + filled)
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes.prefix(filled))
  }
}
