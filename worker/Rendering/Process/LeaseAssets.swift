import Crypto
import FarmAPI
import Foundation
import Media
import Planning
import Synchronization

/// The assets of one lease: local files if this host has them, and otherwise the coordinator's, through the block
/// cache.
final class LeaseAssets: Sendable {
  private let lease: Lease
  private let listed: [Digest: LeasedAsset]
  private let access: AssetAccess
  private let progress: RenderProgress
  private let withoutBlocks = Mutex<UnusableAsset?>(nil)
  private let fetched = Mutex<[(digest: Digest, asset: RemoteAsset)]>([])

  init(of lease: Lease, through access: AssetAccess, progress: RenderProgress) {
    self.lease = lease
    self.access = access
    self.progress = progress
    listed = Dictionary(lease.assets.map { ($0.digest, $0) }) { first, _ in first }
  }

  /// The first asset that the coordinator does not have, or that arrives damaged.
  var unusable: UnusableAsset? {
    if let found = withoutBlocks.withLock({ $0 }) { return found }
    for (digest, asset) in fetched.withLock({ $0 }) {
      if let problem = asset.problem {
        return UnusableAsset(problem, named: lease.name(of: digest))
      }
    }
    return nil
  }

  /// The location of an asset's bytes.
  func place(of digest: Digest) throws -> ServedAssets.Place {
    let asset = try listedAsset(digest)
    let blocks = try blocks(of: asset)
    if let file = access.shared.file(asset.reference) { return .file(file, blocks) }
    return .remote(remote(asset, blocks))
  }

  /// The coordinator's asset, to replace a file that turned out to differ from it. The file is not used again until it
  /// changes.
  func replacement(of file: FileByteSource, for digest: Digest) throws -> RemoteAsset {
    let asset = try listedAsset(digest)
    access.shared.reject(
      file, of: asset.reference, because: "its bytes differ from the asset's, or cannot be read")
    return remote(asset, try blocks(of: asset))
  }

  private func listedAsset(_ digest: Digest) throws -> LeasedAsset {
    guard let asset = listed[digest] else { throw LeaseError.unlisted("\(digest)") }
    return asset
  }

  private func blocks(of asset: LeasedAsset) throws -> BlockDigests {
    do {
      return try access.blocks.list(
        of: asset, at: access.connection.blocksURL(asset.digest), lease: lease.token,
        client: access.client, progress: progress, failures: access.failures,
        sleep: Self.sleep)
    } catch let error as AssetError {
      withoutBlocks.withLock { $0 = UnusableAsset(error, named: lease.name(of: asset.digest)) }
      throw error
    }
  }

  private func remote(_ asset: LeasedAsset, _ blocks: BlockDigests) -> RemoteAsset {
    let source = RemoteAsset(
      blocks, at: access.connection.assetURL(asset.digest), lease: lease.token,
      cache: access.cache, client: access.client, store: access.connection.store,
      progress: progress, failures: access.failures, sleep: Self.sleep)
    fetched.withLock { $0.append((asset.digest, source)) }
    return source
  }

  @Sendable private static func sleep(_ duration: Duration) {
    Thread.sleep(forTimeInterval: duration / .seconds(1))
  }
}

/// A lease that is inconsistent.
enum LeaseError: Error, Hashable, CustomStringConvertible {
  /// It uses an asset that it does not list.
  case unlisted(String)
  /// Its render process has opened assets this many times.
  case tooManyOpened(Int)

  var description: String {
    switch self {
    case .unlisted(let name): "the lease does not list the asset: \(name)"
    case .tooManyOpened(let limit): "the render process opened assets more than \(limit) times"
    }
  }
}

extension Lease {
  /// The name of an asset in the project.
  fileprivate func name(of asset: Digest) -> String {
    description.sources.first { $0.asset == asset }?.name ?? asset.description
  }
}
