import Confinement
import Preparation
import Processes

/// The service `freeze`, which freezes a plan. It can read the plan's draft and nothing else.
struct Freezing: ChildService {
  func sandbox(for first: FreezingRequest) -> Sandbox {
    Sandbox(
      limits: ResourceLimits(first.limits), readable: [first.draft], writable: [first.directory])
  }

  func handle(_ request: FreezingRequest) throws -> ChildAnswer {
    .planned(try PlanFreezing.freeze(request))
  }
}
