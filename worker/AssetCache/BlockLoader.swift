import Crypto
import Synchronization

/// Loads the blocks of an asset on the coordinator through the block cache, and checks each against its digest. If they
/// are read in order, it fetches several blocks in one request.
///
/// Calls block, so use it on the render's own thread.
final class BlockLoader: Sendable {
  private let blocks: BlockDigests
  private let cache: BlockCache
  private let transfer: RangeTransfer
  private let reading = Mutex(Reading())

  private struct Reading {
    /// The block after the last one that was loaded.
    var next = 0
    /// The number of blocks to fetch at once.
    var ahead = 1
  }

  /// The maximum number of blocks in one request of a sequential reader.
  private static let furthestAhead = 8

  init(_ blocks: BlockDigests, cache: BlockCache, transfer: RangeTransfer) {
    self.blocks = blocks
    self.cache = cache
    self.transfer = transfer
  }

  /// Fills a buffer with a block from the cache, or from the coordinator if the cache does not have it.
  ///
  /// - Throws: ``AssetError``; ``LocalFileError``; ``RenderStopped``.
  func load(_ block: Int, into bytes: UnsafeMutableRawBufferPointer) throws {
    let ahead = reading.withLock { reading in
      reading.ahead = reading.next == block ? reading.ahead : 1
      return reading.ahead
    }
    try cache.read(
      block, of: blocks, into: bytes, ahead: ahead, waitingFor: transfer.progress
    ) { first, bytes in
      try fetch(first, into: bytes)
      reading.withLock { $0.ahead = min($0.ahead * 2, Self.furthestAhead) }
    }
    reading.withLock { $0.next = block + 1 }
  }

  /// Fetches consecutive blocks, and fetches damaged ones again.
  private func fetch(_ first: Int, into bytes: UnsafeMutableRawBufferPointer) throws {
    let start = Int64(first) * Int64(blocks.blockSize)
    try transfer.fill(bytes, from: start)
    for offset in stride(from: 0, to: bytes.count, by: blocks.blockSize) {
      let block = first + offset / blocks.blockSize
      let part = UnsafeMutableRawBufferPointer(
        rebasing: bytes[offset..<offset + blocks.length(of: block)])
      var backoff = RangeTransfer.backoff
      var damages = 0
      while !blocks.matches(UnsafeRawBufferPointer(part), block: block) {
        damages += 1
        guard damages < RangeTransfer.damageLimit else { throw AssetError.damaged(transfer.url) }
        transfer.store?.backOff(
          because: "\(transfer.url) arrived damaged from the object store; using the coordinator")
        transfer.sleep(backoff.next())
        try transfer.fill(part, from: start + Int64(offset), isFromStore: false)
      }
    }
  }
}
