import Crypto

/// A block of an asset: the bytes from `index × block size` on.
package struct BlockKey: Hashable, Sendable {
  /// The asset's SHA-256.
  package var asset: Digest
  /// The block's number, from 0.
  package var index: Int

  package init(asset: Digest, index: Int) {
    self.asset = asset
    self.index = index
  }
}
