import Crypto
import Media
import Preparation
import Synchronization

/// The assets of a request that are opened and read several times.
final class RereadAssets: Sendable {
  private let files: [String: AssetFile]
  private let checks = Mutex(Checks())

  /// The checks of the assets that were opened last.
  private struct Checks {
    /// The checks by path, with the number of the last time that each was used.
    private var kept: [String: (check: BlockCheck, use: Int)] = [:]
    private var uses = 0
    private var blockCount = 0

    /// The maximum number of blocks in the checks, unless a single one has more: about 100 GB of assets.
    private static let blockLimit = 400_000

    /// The check of an asset, which is made if it is not kept.
    mutating func check(_ path: String, _ make: () throws -> BlockCheck) rethrows -> BlockCheck {
      uses += 1
      if let check = kept[path]?.check {
        kept[path] = (check, uses)
        return check
      }
      let check = try make()
      blockCount += check.digests.blockCount
      while blockCount > Self.blockLimit, let oldest = kept.min(by: { $0.value.use < $1.value.use })
      {
        blockCount -= oldest.value.check.digests.blockCount
        kept[oldest.key] = nil
      }
      kept[path] = (check, uses)
      return check
    }
  }

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
      try checks.check(asset.path) { BlockCheck(try list.read(for: name)) }
    }
    return try BlockByteSource(verifying: file, by: check, named: name)
  }
}
