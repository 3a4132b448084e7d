import Crypto
import Media
import Preparation

extension BlockList {
  /// Reads the block digests from the disk.
  ///
  /// - Parameter name: the name of the asset in errors.
  /// - Throws: `MediaError` with code `readFailed` if they do not match ``digest``.
  func read(for name: String) throws -> BlockDigests {
    guard let list = BlockDigests(storedAt: path), list.digest == digest else {
      throw MediaError(.readFailed, "the block digests are missing or damaged", on: name)
    }
    return list
  }
}

extension AssetFile {
  /// Opens the file, called `name` in messages. Its bytes are checked block by block as they are read.
  func open(named name: String) throws -> any ByteSource {
    let file = try file(named: name)
    guard let list = try blocks?.read(for: name) else { return file }
    return try BlockByteSource(verifying: file, by: list, named: name)
  }

  /// Opens the file without checks of its bytes.
  func file(named name: String) throws -> FileByteSource {
    try FileByteSource(path: path, named: name, throughLinks: false)
  }
}

extension ReferencedAsset? {
  /// Opens the asset to which a chunk refers.
  func open(_ digest: Digest) throws -> any ByteSource {
    guard let asset = self, asset.digest == digest else {
      throw MediaError(.readFailed, "the asset is not in the request", on: "\(digest)")
    }
    return try asset.file.open(named: asset.name)
  }
}
