import FarmAPI

/// Renders the segment of a lease. The worker renders with libav; tests of the loop use a pretended renderer.
package protocol ChunkRendering: Sendable {
  /// Renders into the file at `path`, and returns its manifest. The file is the body of the delivery: if the manifest has
  /// a list of concealments, the list follows the chunk.
  ///
  /// Blocks; call it on its own thread. Reports frames to `progress`. If stopped, throws ``RenderStopped`` within a
  /// frame.
  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest

  /// Frees the disk space of caches, because there is no space for chunks. Blocks.
  func makeRoom(_ shortage: LocalFileError)

  /// The report to the coordinator on an error that ``render(_:to:progress:)`` threw.
  func report(of error: any Error) -> FailureReport
}
