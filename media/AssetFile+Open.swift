import Crypto
import Media
import Planning
import Preparation
import Synchronization

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
    let file = try FileByteSource(path: path, named: name, throughLinks: false)
    guard let list = try blocks?.read(for: name) else { return file }
    return try BlockByteSource(verifying: file, by: list, named: name)
  }
}

/// The assets of a mix, which are opened and read several times.
final class MixedAssets: Sendable {
  private let files: [String: AssetFile]
  /// The checks of the assets that have been opened.
  private let checks = Mutex<[String: BlockCheck]>([:])

  init(_ files: [String: AssetFile]) { self.files = files }

  /// Opens a source's asset. Its bytes are checked block by block as they are read.
  func open(_ source: AudioSource) throws -> any ByteSource {
    guard let asset = files[source.asset.description] else {
      throw MediaError(.readFailed, "the asset is not in the request", on: source.name)
    }
    let file = try FileByteSource(path: asset.path, named: source.name, throughLinks: false)
    guard let list = asset.blocks else { return file }
    let check = try checks.withLock { checks in
      if let check = checks[asset.path] { return check }
      let check = BlockCheck(try list.read(for: source.name))
      checks[asset.path] = check
      return check
    }
    return try BlockByteSource(verifying: file, by: check, named: source.name)
  }
}
