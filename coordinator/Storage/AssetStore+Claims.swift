import Crypto
import Foundation
import Synchronization

/// Assets whose owner is not in the ledger yet. An asset is admitted to the store first. If a quota then refuses it,
/// its file is removed, unless another submitter owns it.
extension AssetStore {
  /// Records that an admitted asset belongs to somebody, so that no refusal removes it.
  func confirm(_ digest: Digest) { claims.withLock { $0[digest] = nil } }

  /// Takes back the admission of an asset that was refused, and removes the file if it was new and nobody else is waiting
  /// to own it. Call it once for each ``admit(_:_:)``.
  ///
  /// - Parameter keepsBlocks: whether a file under a media root needs the block digests.
  func withdraw(_ digest: Digest, keepingBlocks keepsBlocks: Bool) {
    claims.withLock { claims in
      guard let count = claims[digest] else { return }
      claims[digest] = count > 1 ? count - 1 : nil
      guard count <= 1 else { return }
      unlink(path(of: digest))
      if !keepsBlocks { blocks.remove(digest) }
    }
  }

  /// Joins those who are waiting to own a file, if there are any.
  ///
  /// - Returns: whether the file is there.
  func join(_ digest: Digest, isConfirmed: Bool) -> Bool {
    claims.withLock { claims in
      guard Self.size(path(of: digest)) != nil else { return false }
      if isConfirmed {
        claims[digest] = nil
      } else if let count = claims[digest] {
        claims[digest] = count + 1
      }
      return true
    }
  }
}
