import Crypto
import Media
import Preparation
import Synchronization

/// The assets of a request that are opened and read several times.
final class RereadAssets: Sendable {
  private let files: [String: AssetFile]
  /// The checks of the assets that were opened last, the most recent last.
  private let checks = Mutex<[(path: String, check: BlockCheck)]>([])

  /// The maximum number of blocks in the checks that are kept, besides those of one asset: about 100 GB of assets.
  private static let blockLimit = 400_000

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
      let known = checks.firstIndex { $0.path == asset.path }.map { checks.remove(at: $0).check }
      let check = try known ?? BlockCheck(try list.read(for: name))
      var blocks = 0
      let kept = checks.reversed().prefix { kept in
        blocks += kept.check.digests.blockCount
        return blocks <= Self.blockLimit
      }
      checks = kept.reversed() + [(asset.path, check)]
      return check
    }
    return try BlockByteSource(verifying: file, by: check, named: name)
  }
}
