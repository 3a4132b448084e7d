import Crypto
import Foundation
import Synchronization

/// Assets whose owner is not in the ledger yet. An asset is admitted to the store first. If a quota then refuses it,
/// its file is removed, unless another submitter owns it.
extension AssetStore {
  /// Records that an admitted asset has an owner, so that a refused upload of the same asset does not remove it.
  func confirm(_ digest: Digest) { claims.withLock { $0[digest] = nil } }

  /// Withdraws an asset that was admitted and then refused. The file is removed if it was new and no other upload is
  /// waiting to own it. Call it once for each ``admit(_:_:)``.
  ///
  /// - Parameter keepsBlocks: whether a file under a media root needs the block digests.
  func withdraw(_ digest: Digest, keepingBlocks keepsBlocks: Bool) {
    claims.withLock { claims in
      guard let count = claims[digest] else { return }
      claims[digest] = count > 1 ? count - 1 : nil
      guard count <= 1 else { return }
      storage.discard(StoredObject(.asset, digest))
      if !keepsBlocks { blocks.remove(digest) }
    }
  }

  /// Joins the uploads that are waiting to own a file, if there are any.
  ///
  /// - Returns: whether the file exists.
  func join(_ digest: Digest, isConfirmed: Bool) -> Bool {
    // Asked before the claims are locked, because a storage elsewhere may take long to answer. The caller locks `naming`.
    let exists = (try? storage.facts(of: StoredObject(.asset, digest))).flatMap(\.self) != nil
    return claims.withLock { claims in
      guard exists else { return false }
      if isConfirmed {
        claims[digest] = nil
      } else if let count = claims[digest] {
        claims[digest] = count + 1
      }
      return true
    }
  }
}
