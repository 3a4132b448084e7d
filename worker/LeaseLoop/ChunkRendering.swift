import FarmAPI

/// Renders the segment of a lease: libav's in the worker, a pretended one in tests of the loop.
package protocol ChunkRendering: Sendable {
  /// Renders into the file at `path`, and says what it holds. The file is the body of the delivery: if the manifest has a
  /// list of concealments, it follows the chunk.
  ///
  /// Blocks; call it on its own thread. Reports frames to `progress`, and ends within a frame of being stopped by
  /// throwing ``RenderStopped``.
  func render(_ lease: Lease, to path: String, progress: RenderProgress) throws -> ChunkManifest

  /// Frees its disk space, because there is no room for chunks. Blocks.
  func makeRoom(_ shortage: LocalFileError)

  /// The report to the coordinator on an error that ``render(_:to:progress:)`` threw.
  func report(of error: any Error) -> FailureReport
}

/// A render that was told to stop, did.
package struct RenderStopped: Error {
  /// The signal.
  package init() {}
}
