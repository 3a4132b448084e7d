import CLinux
import Crypto
import FarmAPI
import Foundation
import HTTP
import Media
import Planning
import Rendering
import Synchronization

/// Renders leased segments with libav, reading assets where they are shared, else from the coordinator
/// through the block cache.
struct SegmentChunks: ChunkRendering {
  let cache: BlockCache
  let client: Client
  let connection: CoordinatorConnection
  let shared: SharedMedia

  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest {
    // What starting up and the last delivery ran of the libraries is of no use to pictures: at 1080p, a ninth of a slot
    // (Benchmarks/memory).
    sheaf_release_code()
    let assets = Dictionary(lease.assets.map { ($0.digest, $0) }) { first, _ in first }
    let opened = Mutex<[RemoteAsset]>([])
    do {
      let renderer = try SegmentRenderer(segment: lease.description) { source in
        guard let reference = assets[source.asset] else { throw LeaseError.unlisted(source.name) }
        if let file = shared.file(reference) { return file }
        let asset = RemoteAsset(
          reference, at: connection.assetURL(source.asset), cache: cache, client: client,
          progress: progress
        ) { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }
        opened.withLock { $0.append(asset) }
        return asset
      }
      let chunk = try renderer.render(to: path) { frames in
        progress.framesRendered = frames
        return !progress.isStopped
      }
      return ChunkManifest(
        frameCount: chunk.frameCount, byteCount: chunk.byteCount,
        sha256: try Digest.of(file: path), parameterSets: Data(chunk.parameterSets))
    } catch {
      // What stopped the reader arrives wrapped by libav's reader; say what it was.
      if progress.isStopped { throw RenderStopped() }
      if let missing = opened.withLock({ $0.first { $0.isMissing } }) {
        throw AssetError.missing(missing.url)
      }
      throw error
    }
  }

  func report(of error: any Error) -> FailureReport {
    switch error {
    case let error as MediaError:
      FailureReport(
        code: Self.code("\(error.code)"), message: error.message,
        isPermanent: Self.permanent.contains(error.code))
    case let error as RenderingError:
      FailureReport(code: Self.code("\(error.code)"), message: error.message, isPermanent: true)
    case AssetError.missing:
      FailureReport(code: "missing-asset", message: "\(error)", isPermanent: true)
    case is LeaseError:
      FailureReport(code: "invalid-lease", message: "\(error)", isPermanent: true)
    case is LocalFileError, is FileReadError:
      FailureReport(code: "local-disk", message: "\(error)", isPermanent: false)
    default:
      FailureReport(code: "render-failed", message: "\(error)", isPermanent: false)
    }
  }

  /// What is wrong with the media or the settings themselves: every worker would find the same.
  private static let permanent: Set<MediaError.Code> = [
    .emptyFile, .notMedia, .unsupportedFormat, .unsupportedCodec, .noVideoStream, .noSuchStream,
    .invalidSettings,
  ]

  /// A code as the protocol writes it: `unsupportedCodec` is `unsupported-codec`.
  private static func code(_ name: String) -> String {
    name.reduce(into: "") { text, letter in
      text += letter.isUppercase ? "-\(letter.lowercased())" : "\(letter)"
    }
  }
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
