import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Planning
import Processes
import Synchronization

/// Renders leased segments in processes of their own, and serves these what they read: files where they are shared, else
/// the coordinator's assets through the block cache.
struct SegmentChunks: ChunkRendering {
  let cache: BlockCache
  let client: Client
  let connection: CoordinatorConnection
  let shared: SharedMedia
  let processes: RenderProcesses
  private let blocks = AssetBlocks()

  init(
    cache: BlockCache, client: Client, connection: CoordinatorConnection, shared: SharedMedia,
    processes: RenderProcesses
  ) {
    self.cache = cache
    self.client = client
    self.connection = connection
    self.shared = shared
    self.processes = processes
  }

  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest {
    let listed = Dictionary(lease.assets.map { ($0.digest, $0) }) { first, _ in first }
    let unusable = Mutex<UnusableAsset?>(nil)
    let opened = Mutex<[(digest: Digest, asset: RemoteAsset)]>([])
    let sleep: @Sendable (Duration) -> Void = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }
    let assets = ServedAssets { digest in
      guard let leased = listed[digest] else { throw LeaseError.unlisted("\(digest)") }
      let list: BlockDigests
      do {
        list = try blocks.list(
          of: leased, at: connection.blocksURL(digest), lease: lease.token, client: client,
          progress: progress, sleep: sleep)
      } catch let error as AssetError {
        unusable.withLock { $0 = UnusableAsset(error, named: lease.name(of: digest)) }
        throw error
      }
      if let file = shared.file(leased.reference) { return .file(file, list) }
      let asset = RemoteAsset(
        list, at: connection.assetURL(digest), lease: lease.token, cache: cache, client: client,
        progress: progress, sleep: sleep)
      opened.withLock { $0.append((digest, asset)) }
      return .remote(asset)
    }
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      throw LocalFileError(problem: "cannot open the chunk", subject: path, number: errno)
    }
    defer { close(file) }
    do {
      let chunk = try processes.withProcess { process in
        try process.render(lease, into: file, progress: progress, assets: assets)
      }
      let blocks = try BlockDigests.of(file: path)
      guard blocks.written == chunk.content else {
        throw LocalFileError(
          problem: "the chunk reads back differently than it was written",
          subject: "the worker's cache directory", number: EIO)
      }
      var manifest = ChunkManifest(
        frameCount: chunk.frameCount, byteCount: blocks.byteCount, sha256: blocks.content,
        parameterSets: chunk.parameterSets)
      if let concealments = chunk.concealments {
        let list = try ConcealmentList(concealments).encoded()
        try UnlinkedFile.write(list, to: file, at: blocks.byteCount)
        manifest.concealments = ConcealmentList.Stamp(of: list)
      }
      return manifest
    } catch {
      if progress.isStopped { throw RenderStopped() }
      if let unusable = unusable.withLock({ $0 }) { throw unusable }
      for (digest, asset) in opened.withLock({ $0 }) {
        if let problem = asset.problem {
          throw UnusableAsset(problem, named: lease.name(of: digest))
        }
      }
      // A disk of this worker's that failed arrives as an asset that cannot be read.
      if let failure = assets.failure as? LocalFileError { throw failure }
      let report = FailureReport(of: error)
      // The cache may be what fills the disk, and would not notice where all that is read is in it.
      if report.isOfLocalDisk { cache.makeRoom(because: report.message) }
      throw error
    }
  }

  func makeRoom(_ shortage: LocalFileError) { cache.makeRoom(because: "\(shortage)") }

  func report(of error: any Error) -> FailureReport { FailureReport(of: error) }
}

/// A lease that cannot be carried out as it stands.
enum LeaseError: Error, Hashable, CustomStringConvertible {
  /// It shows an asset whose size it does not give.
  case unlisted(String)

  var description: String {
    switch self {
    case .unlisted(let name): "the lease does not list the asset: \(name)"
    }
  }
}

extension Lease {
  /// The name of an asset in the project.
  fileprivate func name(of asset: Digest) -> String {
    description.sources.first { $0.asset == asset }?.name ?? asset.description
  }
}
