import Crypto
import FarmAPI
import HTTP
import Media
import Synchronization

/// An asset on the coordinator. Fetches only the blocks that are needed, through the block cache. Every block is
/// checked against its digest, both when it arrives and when it is read from the cache.
///
/// Calls block, so use it on the render's own thread.
package final class RemoteAsset: ByteSource {
  package let url: String
  private let blocks: BlockDigests
  private let cache: BlockCache
  private let transfer: RangeTransfer
  private let reading = Mutex(Reading())
  private let failure = Mutex<AssetError?>(nil)

  private struct Reading {
    var next = 0
    var ahead = 1
    /// The blocks in memory.
    var source: BlockByteSource?
  }

  /// The maximum number of blocks in one request of a sequential reader.
  private static let furthestAhead = 8

  /// Creates a source for the asset with these block digests.
  ///
  /// - Parameters:
  ///   - lease: the token of the lease that names it.
  ///   - progress: the render that reads. Once it is stopped, nothing is retried.
  ///   - failures: logs failures that are retried.
  ///   - sleep: how the reading thread waits between tries.
  package init(
    _ blocks: BlockDigests, at url: String, lease: String, cache: BlockCache, client: Client,
    progress: RenderProgress, failures: AssetFailures? = nil,
    sleep: @escaping @Sendable (Duration) -> Void
  ) {
    self.blocks = blocks
    self.url = url
    self.cache = cache
    transfer = RangeTransfer(
      url: url, tag: blocks.content.description, lease: lease, client: client, progress: progress,
      failures: failures, sleep: sleep)
    let source = BlockByteSource(size: blocks.byteCount, blockSize: blocks.blockSize) {
      [weak self] block, bytes in
      guard let self else { throw RenderStopped() }
      try load(block, into: bytes)
    }
    reading.withLock { $0.source = source }
  }

  /// The asset's length in bytes.
  package var size: Int64 { blocks.byteCount }

  /// The reason why the coordinator's asset cannot be used, if there is one.
  package var problem: AssetError? { failure.withLock { $0 } }

  /// Frees the blocks in memory. They are read from the cache again.
  package func dropBlocks() { reading.withLock { $0.source }?.dropBlocks() }

  /// Reads at `offset`. The count is short only at the asset's end.
  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard let source = reading.withLock({ $0.source }) else { return 0 }
    do {
      return try source.read(at: offset, into: buffer)
    } catch let error as AssetError {
      failure.withLock { $0 = error }
      throw error
    }
  }

  private func load(_ block: Int, into bytes: UnsafeMutableRawBufferPointer) throws {
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
        guard damages < RangeTransfer.damageLimit else { throw AssetError.damaged(url) }
        transfer.sleep(backoff.next())
        try transfer.fill(part, from: start + Int64(offset))
      }
    }
  }
}

/// The reason why the coordinator's asset cannot be used.
package enum AssetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator does not have it.
  case missing(String)
  /// It is shorter than the lease says.
  case shorterThanSaid(String)
  /// Its bytes repeatedly arrive damaged.
  case damaged(String)

  /// The failure, and the asset's URL.
  package var description: String {
    switch self {
    case .missing(let url): "the coordinator does not have the asset: \(url)"
    case .shorterThanSaid(let url): "the asset is shorter than the lease says: \(url)"
    case .damaged(let url): "the asset's bytes do not match its digest: \(url)"
    }
  }
}
