import Crypto
import Media
import Planning
import Preparation
import Synchronization

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
    let file = try asset.file(named: source.name)
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
