import FarmAPI
import Support
import Testing
import sheaf

/// The segments and slots that count for a pool.
@Suite(.mayBlock) struct FarmDemandTests {
  private let demand = FarmDemand(
    all: .init(pending: 20, leased: 6),
    pools: ["gpu": .init(pending: 3, leased: 2), "night": .init(pending: 4, leased: 0)])

  private func worker(_ name: String, slots: Int, _ pools: String...) -> WorkerStatus {
    WorkerStatus(
      id: name, name: name, slots: slots, leases: 0, state: .active, segmentsCompleted: 0,
      segmentsFailed: 0, secondsSinceSeen: 1, pools: pools.isEmpty ? nil : pools)
  }

  @Test func `segments count for the pool that their job asks for`() {
    #expect(demand.segments(for: "gpu") == .init(pending: 3, leased: 2))
    #expect(demand.segments(for: "idle") == .init(pending: 0, leased: 0))
    #expect(demand.segments(for: nil) == .init(pending: 13, leased: 4))
    let earlier = FarmDemand(all: .init(pending: 20, leased: 6))
    #expect(earlier.segments(for: nil) == .init(pending: 20, leased: 6))
  }

  @Test func `only workers of a pool count for it`() {
    let workers = [
      worker("a", slots: 4), worker("b", slots: 2, "gpu"), worker("c", slots: 3, "gpu", "night"),
    ]
    #expect(demand.slots(of: workers, for: "gpu") == 5)
    #expect(demand.slots(of: workers, for: "night") == 3)
    #expect(demand.slots(of: workers, for: "idle") == 0)
  }

  @Test func `workers of pools count for other jobs with the slots that their pools leave`() {
    // Five segments ask for gpu, four for night.
    #expect(demand.slots(of: [worker("a", slots: 4)], for: nil) == 4)
    #expect(demand.slots(of: [worker("a", slots: 4, "gpu")], for: nil) == 0)
    #expect(demand.slots(of: [worker("a", slots: 8, "gpu")], for: nil) == 3)
    #expect(demand.slots(of: [worker("a", slots: 8, "idle")], for: nil) == 8)
    #expect(
      demand.slots(
        of: [worker("a", slots: 12, "night", "gpu"), worker("b", slots: 4, "gpu")], for: nil) == 7)
  }

  @Test func `the workers of a pool are no capacity for the jobs of another`() {
    let workers = [worker("rack", slots: 6), worker("gpu-1", slots: 2, "gpu")]
    func situation(_ pool: String?) -> ScalePolicy.Situation {
      FarmView(
        started: [:], workers: workers, prefix: "s-", driverKnowsAll: true, demand: demand,
        pool: pool
      ).situation
    }
    let gpu = situation("gpu")
    #expect(gpu.pending == 3 && gpu.leased == 2 && gpu.otherSlots == 2)
    let night = situation("night")
    #expect(night.pending == 4 && night.otherSlots == 0)
    let rest = situation(nil)
    #expect(rest.pending == 13 && rest.leased == 4 && rest.otherSlots == 6)
  }
}
