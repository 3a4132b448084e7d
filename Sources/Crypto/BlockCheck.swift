import CXXHash
import Synchronization

/// Checks the blocks of a file that is read several times.
///
/// A block whose SHA-256 was right is recognized by a checksum (XXH3 with 64 bits) when it is read again, which takes a
/// tenth of the time. Because of its random seed, nobody can prepare other bytes with the same checksum without reading
/// this process's memory.
public final class BlockCheck: Sendable {
  /// The digests of the blocks.
  public let digests: BlockDigests
  private let seed: UInt64
  /// The checksums of the blocks that were right; 0 for the others.
  private let known: Mutex<[UInt64]>

  /// Creates the check of a file whose blocks have not been read.
  public init(_ digests: BlockDigests) {
    self.digests = digests
    seed = SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) }
    known = Mutex([UInt64](repeating: 0, count: digests.blockCount))
  }

  /// Whether `bytes` are exactly the bytes of a block.
  public func matches(_ bytes: UnsafeRawBufferPointer, block: Int) -> Bool {
    guard (0..<digests.blockCount).contains(block), bytes.count == digests.length(of: block) else {
      return false
    }
    let checksum = XXH3_64bits_withSeed(bytes.baseAddress, bytes.count, seed)
    if checksum != 0, known.withLock({ $0[block] }) == checksum { return true }
    guard digests.matches(bytes, block: block) else { return false }
    known.withLock { $0[block] = checksum }
    return true
  }
}
