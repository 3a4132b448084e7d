import Crypto
import FarmAPI
import HTTP
import Synchronization

/// Fetches the block digests of assets from the coordinator, once each, and compares them with the lease's digest.
///
/// Calls block, so use it on the render's own thread.
package final class AssetBlocks: Sendable {
  private let lists = Mutex(Lists())

  private struct Lists {
    /// The lists by their own digests.
    var kept: [Digest: BlockDigests] = [:]
    /// The digests in order of use, the most recently used last.
    var order: [Digest] = []
    var blockCount = 0
  }

  /// The maximum number of block digests in memory: those of 256 GiB take 32 MiB.
  private static let mostBlocks = 1 << 20

  package init() {}

  /// The block digests of an asset.
  ///
  /// - Parameters:
  ///   - url: the URL of the list.
  ///   - lease: the token of the lease that names the asset.
  ///   - failures: logs failures that are retried.
  /// - Throws: ``AssetError``; ``RenderStopped``.
  package func list(
    of asset: LeasedAsset, at url: String, lease: String, client: Client, progress: RenderProgress,
    failures: AssetFailures? = nil, sleep: @escaping @Sendable (Duration) -> Void
  ) throws -> BlockDigests {
    if let list = find(asset.blocks) { return list }
    let transfer = RangeTransfer(
      url: url, tag: asset.blocks.description, lease: lease, client: client, progress: progress,
      failures: failures, sleep: sleep)
    var backoff = RangeTransfer.backoff
    for _ in 0..<RangeTransfer.damageLimit {
      var bytes = [UInt8](
        repeating: 0,
        count: BlockDigests.encodedByteCount(byteCount: asset.reference.byteCount))
      try bytes.withUnsafeMutableBytes { try transfer.fill($0, from: 0) }
      let list = BlockDigests(encoded: bytes)
      if let list, list.digest == asset.blocks, list.content == asset.reference.digest {
        keep(list)
        return list
      }
      sleep(backoff.next())
    }
    throw AssetError.damaged(url)
  }

  private func find(_ digest: Digest) -> BlockDigests? {
    lists.withLock { lists in
      guard let list = lists.kept[digest] else { return nil }
      lists.order.removeAll { $0 == digest }
      lists.order.append(digest)
      return list
    }
  }

  private func keep(_ list: BlockDigests) {
    lists.withLock { lists in
      guard lists.kept.updateValue(list, forKey: list.digest) == nil else { return }
      lists.order.append(list.digest)
      lists.blockCount += list.blockCount
      while lists.blockCount > Self.mostBlocks, lists.order.count > 1 {
        let oldest = lists.kept.removeValue(forKey: lists.order.removeFirst())
        lists.blockCount -= oldest?.blockCount ?? 0
      }
    }
  }
}
