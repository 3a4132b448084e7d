import Crypto

/// A file for a media process to read.
package struct AssetFile: Hashable, Codable, Sendable {
  /// Where it is.
  package var path: String
  /// By what its bytes are checked; they are taken as they are without.
  package var blocks: BlockList?

  /// A file, with its block digests if there are any.
  package init(path: String, blocks: BlockList? = nil) {
    self.path = path
    self.blocks = blocks
  }

  /// Every file that reading it takes.
  package var paths: [String] { [path] + (blocks.map { [$0.path] } ?? []) }
}

/// A file of block digests, as `BlockDigests.stored` has them.
package struct BlockList: Hashable, Codable, Sendable {
  /// Where it is.
  package var path: String
  /// The SHA-256 of the block digests.
  package var digest: Digest

  /// A list of block digests at a path.
  package init(path: String, digest: Digest) {
    self.path = path
    self.digest = digest
  }
}
