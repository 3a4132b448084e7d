import Crypto
import FarmAPI
import Foundation
import Support
import sheaf_worker

/// A renderer that runs a test's `work`, and then writes the lease's token as the chunk.
struct PretendedRenderer: ChunkRendering {
  /// A failure of a segment.
  struct Fault: Error {
    var report: FailureReport
  }

  var work: @Sendable (Lease, RenderProgress) throws -> Void = { _, _ in }

  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest {
    try work(lease, progress)
    let bytes = Array(lease.token.utf8)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    return ChunkManifest(
      frameCount: 10, byteCount: Int64(bytes.count), sha256: Digest.of(bytes),
      parameterSets: Data())
  }

  var room: @Sendable (LocalFileError) -> Void = { _ in }

  func makeRoom(_ shortage: LocalFileError) { room(shortage) }

  func report(of error: any Error) -> FailureReport {
    (error as? Fault)?.report
      ?? FailureReport(code: "unexpected", message: "\(error)", isPermanent: false)
  }

  /// Counts frames until it is stopped.
  static let endless = PretendedRenderer { _, progress in
    try blockUntil("the render is stopped") {
      progress.framesRendered += 1
      return progress.isStopped
    }
    throw RenderStopped()
  }
}
