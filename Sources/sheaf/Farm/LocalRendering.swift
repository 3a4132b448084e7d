import FarmAPI
import Foundation

/// Renders on a temporary farm on this machine.
struct LocalRendering: Sendable {
  /// The number of segments to render at a time, divided by ``slots``.
  var workers: Int
  /// A factor of ``workers``.
  var slots: Int
  /// The memory that the segments may need together, in bytes; `nil` for the machine's, minus a reserve.
  var memory: Int?
  /// The origins from which the farm may fetch assets, as arguments of its coordinator.
  var sources: [String] = []

  /// Renders a project and saves the file.
  func render(
    _ project: ProjectFile, to output: OutputPath, showing display: ProgressDisplay
  ) async throws -> FinishedFile? {
    try Task.checkCancellation()
    // Resolves all links, because the farm compares resolved paths with its roots.
    let directories = project.paths.values.map {
      URL(fileURLWithPath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path
    }
    return try await LoopbackFarm.with(
      slots: min(workers, LoopbackFarm.mostSlots) * min(slots, LoopbackFarm.mostSlots),
      memory: memory, mediaRoots: Set(directories).sorted(),
      sources: sources, in: URL(fileURLWithPath: output.path).deletingLastPathComponent().path
    ) { farm in
      let connection = FarmConnection(to: farm.coordinator)
      let submission = Submission(project, to: connection, display: display)
      let job = try await connection.listingConcealed(
        Submission.finish(
          submission.submit(sharingMedia: true), at: connection, showing: display,
          checking: Self.checkMemory))
      try await OutputFetch(from: connection, display: display)
        .fetch(job, to: output, through: farm.path("output.part"))
      return FinishedFile(job, at: output)
    }
  }

  /// Throws if a segment needs more memory than the farm's only worker has.
  private static func checkMemory(_ job: JobStatus) throws {
    guard let needed = job.memoryNeeded else { return }
    throw CommandFailure(
      .failed, "a segment needs \(ByteCount(needed)) of memory, more than this machine can spare",
      on: job.name,
      remedy: "use a smaller size or a faster encoder preset, or allow more with --memory")
  }
}
