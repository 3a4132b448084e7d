import FarmAPI
import Support
import Testing
import sheaf

@Suite(.mayBlock) struct ScalePolicyTests {
  private func situation(
    pending: Int = 0, leased: Int = 0, otherSlots: Int = 0, capacity: Int = 0, started: Int? = nil,
    hours: Double = 0, promised: Double = 0
  ) -> ScalePolicy.Situation {
    var situation = ScalePolicy.Situation()
    (situation.pending, situation.leased, situation.otherSlots) = (pending, leased, otherSlots)
    (situation.capacity, situation.started) = (capacity, started ?? capacity)
    (situation.hours, situation.promised) = (hours, promised)
    return situation
  }

  @Test func `the missing workers are started, up to the maximum`() {
    let policy = ScalePolicy(maximum: 8, slots: 1)
    #expect(policy.missing(in: situation()) == 0)
    #expect(policy.missing(in: situation(pending: 5)) == 5)
    #expect(policy.missing(in: situation(pending: 50)) == 8)
    #expect(policy.missing(in: situation(pending: 4, leased: 1, capacity: 1)) == 4)
    #expect(policy.missing(in: situation(leased: 2, capacity: 3)) == 0)
    // Those that are draining take no work, but are still paid for.
    #expect(policy.missing(in: situation(pending: 50, capacity: 5, started: 7)) == 1)
  }

  @Test func `the slots of started workers and of others count`() {
    let policy = ScalePolicy(maximum: 100, slots: 4)
    #expect(policy.missing(in: situation(pending: 40)) == 10)
    #expect(policy.missing(in: situation(pending: 41)) == 11)
    #expect(policy.missing(in: situation(pending: 40, otherSlots: 36)) == 1)
    #expect(policy.missing(in: situation(pending: 3, otherSlots: 36)) == 0)
  }

  @Test func `the hours of a day are not exceeded`() {
    let policy = ScalePolicy(maximum: 8, slots: 1, hoursPerDay: 10)
    #expect(policy.missing(in: situation(pending: 5, hours: 9.9)) == 5)
    #expect(policy.missing(in: situation(pending: 5, hours: 10)) == 0)
    #expect(policy.missing(in: situation(pending: 5, hours: 9.98)) == 1)
    #expect(policy.missing(in: situation(pending: 5, hours: 4, promised: 6)) == 0)
    let some = situation(pending: 5, capacity: 1, hours: 4, promised: 2)
    #expect(policy.lifetime(82_800, starting: 2, in: some) == 7200)
    #expect(policy.lifetime(3600, starting: 2, in: some) == 3600)
    #expect(policy.isExhausted(in: situation(pending: 5, hours: 9.999)))
    #expect(!policy.isExhausted(in: situation(pending: 1, capacity: 1, hours: 9.999)))
    let free = ScalePolicy(maximum: 8, slots: 1)
    #expect(free.lifetime(82_800, starting: 2, in: some) == 82_800)
  }

  @Test func `failed starts become trials with one worker, further and further apart`() {
    var pacing = StartPacing(coolDown: .seconds(30))
    #expect(pacing.allowance(at: .zero) == StartPacing.largestStart)
    pacing.started(at: .seconds(10))
    #expect(pacing.allowance(at: .seconds(39)) == 0)
    #expect(pacing.allowance(at: .seconds(40)) == StartPacing.largestStart)
    pacing.failed(at: .seconds(40))
    #expect(pacing.allowance(at: .seconds(99)) == 0)
    #expect(pacing.allowance(at: .seconds(100)) == 1)
    pacing.started(at: .seconds(100))
    #expect(pacing.allowance(at: .seconds(160)) == 2)
    pacing.failed(at: .seconds(160))
    #expect(pacing.allowance(at: .seconds(279)) == 0)
    #expect(pacing.allowance(at: .seconds(280)) == 1)
    for _ in 0..<50 { pacing.failed(at: .seconds(1000)) }
    #expect(pacing.allowance(at: .seconds(1000) + StartPacing.longest) == 1)
    #expect(pacing.allowance(at: .seconds(999) + StartPacing.longest) == 0)
    pacing.succeeded()
    pacing.started(at: .seconds(2000))
    #expect(pacing.allowance(at: .seconds(2030)) == StartPacing.largestStart)
    // Without a pause of its own, too.
    var hasty = StartPacing(coolDown: .zero)
    hasty.failed(at: .zero)
    #expect(hasty.allowance(at: .seconds(1)) == 0)
    #expect(hasty.allowance(at: .seconds(2)) == 1)
  }

  private func worker(
    _ name: String, _ state: WorkerStatus.State = .active, slots: Int = 1, completed: Int = 0
  ) -> WorkerStatus {
    WorkerStatus(
      id: name, name: name, slots: slots, leases: 0, state: state, segmentsCompleted: completed,
      segmentsFailed: 0, secondsSinceSeen: 1)
  }

  private func view(
    _ started: [String: StartedWorker], _ workers: [WorkerStatus], knowsAll: Bool = true,
    pending: Int = 9
  ) -> FarmView {
    FarmView(
      started: started, workers: workers, prefix: "s-", driverKnowsAll: knowsAll,
      demand: FarmDemand(all: .init(pending: pending)))
  }

  private let running = StartedWorker(isRunning: true)

  @Test func `each worker counts once, and only those that can render count as capacity`() {
    let queued = StartedWorker(isRunning: false, reason: "Resources")
    let found = view(
      ["s-1": running, "s-2": running, "s-3": queued, "s-4": running],
      [
        worker("s-1"), worker("s-2", .distrusted), worker("s-4", .draining), worker("s-9"),
        worker("rack", slots: 6), worker("idle", .draining, slots: 3),
      ])
    // s-9 has ended, as the driver knows; the farm will notice.
    #expect(found.active == ["s-1"] && found.waiting == ["s-3"])
    #expect(found.situation.capacity == 2 && found.situation.started == 4)
    #expect(found.situation.otherSlots == 6)
    #expect(found.running == ["s-1", "s-2", "s-4"])
    #expect(found.reason == "Resources")
    // A worker of an earlier run of the command, whose processes the driver does not know.
    let orphan = view(["s-1": running], [worker("s-1"), worker("s-9")], knowsAll: false)
    #expect(orphan.active == ["s-1", "s-9"] && orphan.situation.started == 2)
    #expect(orphan.running == ["s-1", "s-9"])
  }

  @Test func `workers that end without a result are wasted while segments wait`() {
    var results = WorkerResults()
    results.expect(["s-1", "s-2", "s-3"])
    // One ends before anybody has seen it.
    let first = results.observe(view(["s-1": running, "s-2": running], [worker("s-1")]))
    #expect(first == .init(unregistered: ["s-3"], hasResult: false, isWasted: true))
    let second = results.observe(
      view(["s-1": running, "s-2": running], [worker("s-1", completed: 2), worker("s-2")]))
    #expect(second == .init(unregistered: [], hasResult: true, isWasted: false))
    // One that has rendered ends, and one that has not.
    let third = results.observe(view(["s-2": running], [worker("s-2")]))
    #expect(third == .init())
    #expect(results.observe(view([:], [])) == .init(isWasted: true))
    results.expect(["s-4"])
    #expect(
      results.observe(view([:], [], pending: 0)) == .init(unregistered: ["s-4"]))
  }
}
