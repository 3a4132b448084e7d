import Crypto

/// A file for a media process to read.
package struct AssetFile: Hashable, Codable, Sendable {
  package var path: String
  /// The list of block digests that its bytes are checked against; `nil` if they are not checked.
  package var blocks: BlockList?

  package init(path: String, blocks: BlockList? = nil) {
    self.path = path
    self.blocks = blocks
  }

  /// The paths of all files that are needed to read it.
  package var paths: [String] { [path] + (blocks.map { [$0.path] } ?? []) }
}

/// An asset to which a chunk refers for packets that it does not contain.
package struct ReferencedAsset: Hashable, Codable, Sendable {
  /// The asset's name in messages.
  package var name: String
  /// Its SHA-256.
  package var digest: Digest
  package var file: AssetFile

  package init(name: String, digest: Digest, file: AssetFile) {
    self.name = name
    self.digest = digest
    self.file = file
  }
}

/// A file of block digests in the format of `BlockDigests.stored`.
package struct BlockList: Hashable, Codable, Sendable {
  package var path: String
  /// The SHA-256 of the block digests.
  package var digest: Digest

  package init(path: String, digest: Digest) {
    self.path = path
    self.digest = digest
  }
}
