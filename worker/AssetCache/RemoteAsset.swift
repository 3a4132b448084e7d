import Crypto
import HTTP
import Media
import Synchronization

/// An asset on the coordinator. Fetches only the blocks that are needed, through the block cache. Every block is
/// checked against its digest, both when it arrives and when it is read from the cache.
///
/// Calls block, so use it on the render's own thread.
package final class RemoteAsset: ByteSource {
  package let url: String
  private let source: BlockByteSource
  private let failure = Mutex<AssetError?>(nil)

  /// Creates a source for the asset with these block digests.
  ///
  /// - Parameters:
  ///   - lease: the token of the lease that names it.
  ///   - store: the farm's object store, if it has one.
  ///   - progress: the render that reads. Once it is stopped, nothing is retried.
  ///   - failures: logs failures that are retried.
  ///   - sleep: how the reading thread waits between tries.
  package init(
    _ blocks: BlockDigests, at url: String, lease: String, cache: BlockCache, client: Client,
    store: ObjectStore? = nil, progress: RenderProgress, failures: AssetFailures? = nil,
    sleep: @escaping @Sendable (Duration) -> Void
  ) {
    self.url = url
    let loader = BlockLoader(
      blocks, cache: cache,
      transfer: RangeTransfer(
        url: url, tag: blocks.content.description, lease: lease, client: client,
        store: store, progress: progress, failures: failures, sleep: sleep))
    source = BlockByteSource(size: blocks.byteCount, blockSize: blocks.blockSize) { block, bytes in
      try loader.load(block, into: bytes)
    }
  }

  /// The asset's length in bytes.
  package var size: Int64 { source.size }

  /// The reason why the coordinator's asset cannot be used, if there is one.
  package var problem: AssetError? { failure.withLock { $0 } }

  /// Frees the blocks in memory. They are read from the cache again.
  package func dropBlocks() { source.dropBlocks() }

  /// Reads at `offset`. The count is short only at the asset's end.
  package func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    do {
      return try source.read(at: offset, into: buffer)
    } catch let error as AssetError {
      failure.withLock { $0 = error }
      throw error
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
