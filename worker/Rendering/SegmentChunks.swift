import Crypto
import FarmAPI
import Foundation
import Planning
import Processes

/// Renders leased segments in separate processes, and serves their reads: from shared files if possible, and otherwise
/// from the coordinator's assets through the block cache.
struct SegmentChunks: ChunkRendering {
  let access: AssetAccess
  let processes: RenderProcesses

  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest {
    let leased = LeaseAssets(of: lease, through: access, progress: progress)
    let assets = ServedAssets(leased)
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else {
      throw LocalFileError(problem: "cannot open the chunk", subject: path, number: errno)
    }
    defer { close(file) }
    do {
      let chunk = try processes.withProcess(peakMemory: lease.memory ?? 0) { process in
        try process.render(lease, into: file, progress: progress, assets: assets)
      }
      var hasher = SHA256()
      let content = try WrittenContent.of(file: path) { hasher.update($0) }
      guard content == chunk.content else {
        throw LocalFileError(
          problem: "the chunk read back from the disk differs from what was written",
          subject: "the worker's cache directory", number: EIO)
      }
      var manifest = ChunkManifest(
        frameCount: chunk.frameCount, byteCount: content.byteCount, sha256: hasher.finalize(),
        parameterSets: chunk.parameterSets)
      if let concealments = chunk.concealments {
        let list = try ConcealmentList(concealments).encoded()
        try UnlinkedFile.write(list, to: file, at: content.byteCount)
        manifest.concealments = ConcealmentList.Stamp(of: list)
      }
      return manifest
    } catch {
      if progress.isStopped { throw RenderStopped() }
      if let unusable = leased.unusable { throw unusable }
      // If this worker's disk failed, the process reports an asset that it cannot read.
      if let failure = assets.failure as? LocalFileError { throw failure }
      let report = FailureReport(of: error)
      // The cache may fill the disk, and does not notice if every block that is read is already in it.
      if report.isOfLocalDisk { access.cache.makeRoom(because: report.message) }
      throw error
    }
  }

  func makeRoom(_ shortage: LocalFileError) { access.cache.makeRoom(because: "\(shortage)") }

  func report(of error: any Error) -> FailureReport { FailureReport(of: error) }
}
