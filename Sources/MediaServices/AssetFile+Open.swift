import Crypto
import Media
import Preparation

extension BlockList {
  /// Reads the block digests from the disk.
  ///
  /// - Throws: `MediaError` with code `readFailed` if they do not match ``digest``.
  func read() throws -> BlockDigests {
    guard let list = BlockDigests(storedAt: path), list.digest == digest else {
      throw MediaError(.readFailed, "the block digests are missing or damaged", on: path)
    }
    return list
  }
}

extension AssetFile {
  /// Opens the file, called `name` in messages. Its bytes are checked block by block as they are read.
  func open(named name: String) throws -> any ByteSource {
    let file = try FileByteSource(path: path, throughLinks: false)
    guard let list = try blocks?.read() else { return file }
    return try BlockByteSource(verifying: file, by: list, named: name)
  }
}
