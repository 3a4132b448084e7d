import Confinement
import Foundation
import Media
import Planning
import Preparation
import Processes
import ProjectFormat
import Threads
import Timeline

/// The service `plan`, which checks a project with its media, draws its layers, lays out its segments and writes
/// the draft of a plan.
struct PlanningService: ChildService {
  func sandbox(for first: PlanningRequest) -> Sandbox {
    Sandbox(
      limits: ResourceLimits(first.limits),
      readable: [first.project]
        + first.indexFiles + first.sources.flatMap { $0.image?.paths ?? [] } + FontFiles.all,
      writable: [first.directory])
  }

  func handle(_ request: PlanningRequest) throws -> ChildAnswer {
    let planning = ProjectPlanning(
      check: { question in
        VideoEncoder.findings(
          question.video, size: question.size, frameDuration: question.frameDuration)
      },
      typeset: { try TypesettingService.rasters(for: $0) }, note: { LastSubject.note($0) })
    // On this thread: other threads would add to the memory of the process, which is limited.
    return .drafted(try CallingThread.run { try await planning.plan(request) })
  }
}
