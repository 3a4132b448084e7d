import Confinement
import Preparation
import Processes
import Rendering

/// The service `freeze`, which freezes a plan. It can read the plan's draft and nothing else.
struct Freezing: ChildService {
  func sandbox(for first: FreezingRequest) -> Sandbox {
    Sandbox(
      limits: ResourceLimits(first.limits), readable: [first.draft], writable: [first.directory])
  }

  func handle(_ request: FreezingRequest) throws -> ChildAnswer {
    var facts = try PlanFreezing.freeze(request)
    facts.sound?.fingerprint = Fingerprint.current
    return .planned(facts)
  }
}
