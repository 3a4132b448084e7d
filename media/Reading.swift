import Confinement
import Preparation
import Processes

/// The service `read`, which reads a submission and its project.
struct Reading: ChildService {
  func sandbox(for first: ReadingRequest) -> Sandbox {
    Sandbox(
      limits: ResourceLimits(first.limits), readable: [first.submission],
      writable: [first.directory])
  }

  func handle(_ request: ReadingRequest) throws -> ChildAnswer {
    .submission(try SubmissionReading.read(request))
  }
}

extension ResourceLimits {
  /// The resources that a process may use to read or plan a project.
  init(_ limits: PlanningLimits) {
    self.init(
      memory: UInt(limits.memory), fileSize: 4 << 30, processorTime: UInt(limits.seconds))
  }
}
