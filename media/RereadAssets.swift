import Crypto
import Media
import Preparation
import Synchronization

/// The assets of a request that are opened and read several times.
final class RereadAssets: Sendable {
  private let files: [String: AssetFile]
  /// The checks of the assets that have been opened.
  private let checks = Mutex<[String: BlockCheck]>([:])

  /// Creates a value for assets by hexadecimal digest.
  init(_ files: [String: AssetFile]) { self.files = files }

  /// Opens an asset, called `name` in messages. Its bytes are checked block by block as they are read.
  func open(_ digest: Digest, named name: String) throws -> any ByteSource {
    guard let asset = files[digest.description] else {
      throw MediaError(.readFailed, "the asset is not in the request", on: name)
    }
    let file = try asset.file(named: name)
    guard let list = asset.blocks else { return file }
    let check = try checks.withLock { checks in
      if let check = checks[asset.path] { return check }
      let check = BlockCheck(try list.read(for: name))
      checks[asset.path] = check
      return check
    }
    return try BlockByteSource(verifying: file, by: check, named: name)
  }
}
