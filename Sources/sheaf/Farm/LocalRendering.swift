import Foundation

/// Renders on a temporary farm on this machine.
struct LocalRendering: Sendable {
  /// The number of segments to render at a time, divided by ``slots``.
  var workers: Int
  /// A factor of ``workers``.
  var slots: Int
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
      mediaRoots: Set(directories).sorted(),
      sources: sources, in: URL(fileURLWithPath: output.path).deletingLastPathComponent().path
    ) { farm in
      let connection = FarmConnection(to: farm.coordinator)
      let submission = Submission(project, to: connection, display: display)
      let job = try await connection.listingConcealed(
        submission.finish(submission.submit(sharingMedia: true)))
      try await OutputFetch(from: connection, display: display)
        .fetch(job, to: output, through: farm.path("output.part"))
      return FinishedFile(job, at: output)
    }
  }
}
