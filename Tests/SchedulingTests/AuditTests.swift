import Crypto
import FarmAPI
import Scheduling
import Support
import Testing

/// Chunks that are compared before one of them is accepted.
@Suite(.mayBlock) struct AuditTests {
  private static let segment = SegmentID(job: job, index: 0)
  private static let right = Digest.of([1])
  private static let wrong = Digest.of([2])

  private func identity(_ worker: String, token: String? = nil) -> WorkerIdentity {
    WorkerIdentity(name: "host-\(worker)", token: token)
  }

  /// A farm with one job of one segment.
  private func farm(workers: String...) throws -> SimulatedFarm {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    for worker in workers { farm.addWorker(worker) }
    return farm
  }

  /// Delivers a segment's chunk by a worker. The chunk is held.
  @discardableResult
  private func deliver(
    _ chunk: Digest, by worker: String, on farm: inout SimulatedFarm
  ) throws -> [Action] {
    farm.handle(.chunkHeld(try farm.lease(worker).token, chunk))
  }

  private func counts(_ farm: SimulatedFarm, _ id: JobID = job) -> SegmentCounts? {
    farm.scheduler.progress(of: id)?.segments
  }

  private func state(_ worker: String, _ farm: SimulatedFarm) -> WorkerStatus.State? {
    farm.scheduler.status(of: WorkerID(rawValue: worker), at: farm.now)?.state
  }

  @Test func `a second worker renders the segment, and equal chunks complete it`() throws {
    var farm = try farm(workers: "a", "b")
    let first = try farm.lease("a")
    #expect(farm.scheduler.canAudit(first.token))
    #expect(farm.handle(.chunkHeld(first.token, Self.right)) == [.endAttempt(first, .held)])
    #expect(counts(farm)?.pending == 1)
    #expect(farm.want("a", wait: .zero).grants.isEmpty, "a worker must not audit its own chunk")
    let verdict = AuditVerdict.confirmed(Self.right, distrusted: [])
    let actions = try deliver(Self.right, by: "b", on: &farm)
    #expect(actions.contains(.settleAudit(Self.segment, verdict)))
    #expect(counts(farm)?.completed == 0, "the ledger has not recorded it yet")
    #expect(farm.handle(.auditSettled(Self.segment, verdict)).contains(.finishRendering(job)))
    #expect(counts(farm)?.completed == 1)
    #expect(farm.scheduler.progress(of: job)?.framesRendered == 10)
    #expect(farm.handle(.auditSettled(Self.segment, verdict)).isEmpty)
  }

  @Test func `a third worker decides between two chunks that differ`() throws {
    var farm = try farm(workers: "a", "b", "c")
    try deliver(Self.right, by: "a", on: &farm)
    let second = try deliver(Self.wrong, by: "b", on: &farm)
    #expect(second.count == 1, "nothing is decided: \(second)")
    let third = try deliver(Self.right, by: "c", on: &farm)
    #expect(
      third.contains(
        .settleAudit(Self.segment, .confirmed(Self.right, distrusted: [identity("b")]))))
  }

  @Test func `two workers with one token do not outvote a worker with another`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a", token: "bad")
    farm.addWorker("b", token: "good")
    try deliver(Self.wrong, by: "a", on: &farm)
    farm.addWorker("c", token: "bad")
    let verdict = AuditVerdict.undecided(
      distrusted: [identity("a", token: "bad"), identity("b", token: "good")])
    #expect(
      try deliver(Self.right, by: "b", on: &farm).contains(.settleAudit(Self.segment, verdict)))
  }

  @Test func `a worker with a third token decides, even if another shares a token`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    for (worker, token) in [("a", "bad"), ("b", "good"), ("c", "bad"), ("d", "other")] {
      farm.addWorker(worker, token: token)
    }
    try deliver(Self.wrong, by: "a", on: &farm)
    try deliver(Self.right, by: "b", on: &farm)
    #expect(farm.want("c", wait: .zero).grants.isEmpty)
    #expect(
      try deliver(Self.right, by: "d", on: &farm).contains(
        .settleAudit(
          Self.segment, .confirmed(Self.right, distrusted: [identity("a", token: "bad")]))))
  }

  @Test func `workers that all share one token are counted by name`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    for worker in ["a", "b", "c"] { farm.addWorker(worker, token: "all") }
    try deliver(Self.right, by: "a", on: &farm)
    try deliver(Self.wrong, by: "b", on: &farm)
    #expect(
      try deliver(Self.right, by: "c", on: &farm).contains(
        .settleAudit(
          Self.segment, .confirmed(Self.right, distrusted: [identity("b", token: "all")]))))
  }

  @Test func `without a third worker, neither of two differing workers is trusted`() throws {
    var farm = try farm(workers: "a", "b")
    try deliver(Self.right, by: "a", on: &farm)
    let verdict = AuditVerdict.undecided(distrusted: [identity("a"), identity("b")])
    #expect(
      try deliver(Self.wrong, by: "b", on: &farm).contains(.settleAudit(Self.segment, verdict)))
    farm.handle(.auditSettled(Self.segment, verdict))
    for worker in verdict.distrusted { farm.handle(.workerDistrusted(worker, "it differs")) }
    #expect(state("a", farm) == .distrusted && state("b", farm) == .distrusted)
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(farm.want("b", wait: .zero).grants.isEmpty)
    farm.addWorker("c")
    let last = try farm.lease("c")
    #expect(!farm.scheduler.canAudit(last.token))
    #expect(farm.handle(.chunkAccepted(last.token)).contains(.finishRendering(job)))
  }

  @Test func `if three chunks all differ, none of their workers is trusted`() throws {
    var farm = try farm(workers: "a", "b", "c", "d")
    try deliver(Self.right, by: "a", on: &farm)
    try deliver(Self.wrong, by: "b", on: &farm)
    let verdict = AuditVerdict.undecided(
      distrusted: [identity("a"), identity("b"), identity("c")])
    #expect(
      try deliver(Digest.of([3]), by: "c", on: &farm)
        .contains(.settleAudit(Self.segment, verdict)))
  }

  @Test func `a chunk is accepted without comparison if the only other worker leaves`() throws {
    var farm = try farm(workers: "a", "b")
    try deliver(Self.right, by: "a", on: &farm)
    let actions = farm.handle(.workerDrained(WorkerID(rawValue: "b")))
    #expect(actions == [.settleAudit(Self.segment, .uncompared(Self.right))])
    farm.handle(.auditSettled(Self.segment, .uncompared(Self.right)))
    #expect(counts(farm)?.completed == 1)
  }

  @Test func `an audit does not wait for a worker that falls silent`() throws {
    var farm = try farm(workers: "a", "b")
    try deliver(Self.right, by: "a", on: &farm)
    _ = farm.want("a", wait: .seconds(60))
    var settled: [Action] = []
    for _ in 0..<60 where settled.isEmpty {
      settled = farm.wait(.seconds(1)).filter { if case .settleAudit = $0 { true } else { false } }
    }
    #expect(settled == [.settleAudit(Self.segment, .uncompared(Self.right))])
  }

  @Test func `an audit prefers a worker with another token to one with the same token`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    farm.addWorker("a", token: "one")
    farm.addWorker("b", token: "one")
    farm.addWorker("c", token: "two")
    try deliver(Self.right, by: "a", on: &farm)
    #expect(farm.want("b", wait: .zero).grants.isEmpty)
    let grant = try farm.lease("c")
    #expect(grant.attempt == 2)
    farm.handle(.leaseGivenBack(grant.token))
    farm.handle(.workerDrained(WorkerID(rawValue: "c")))
    #expect(try farm.lease("b").segment == Self.segment)
  }

  @Test func `a failed audit goes to another worker, or to the same one if it is alone`() throws {
    var farm = try farm(workers: "a", "b", "c")
    try deliver(Self.right, by: "a", on: &farm)
    farm.handle(.attemptFailed(try farm.lease("b").token, decodeFailed))
    #expect(farm.want("b", wait: .zero).grants.isEmpty)
    farm.handle(.workerDrained(WorkerID(rawValue: "c")))
    #expect(try farm.lease("b").segment == Self.segment)
  }

  @Test func `a worker that registers again is the same worker`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: [10])
    for id in ["a", "b"] {
      farm.handle(
        .workerRegistered(
          WorkerEntry(
            id: WorkerID(rawValue: id), name: "rack", slots: 1, fingerprint: "x264", token: "one")))
    }
    #expect(!farm.scheduler.canAudit(try farm.lease("a").token))
  }

  @Test func `a distrusted worker loses its leases, and gets leases again once it is resumed`()
    throws
  {
    var farm = try farm(workers: "a", "b")
    let lease = try farm.lease("a")
    let actions = farm.handle(.workerDistrusted(identity("a"), "it differs"))
    #expect(
      actions == [
        .distrust(WorkerID(rawValue: "a")), .endAttempt(lease, .distrusted),
        .fixFingerprint(job, nil),
      ])
    #expect(
      farm.scheduler.status(of: WorkerID(rawValue: "a"), at: farm.now)?.reason == "it differs")
    #expect(farm.handle(.chunkAccepted(lease.token)) == [.rejectStale(lease.token)])
    #expect(farm.want("a", wait: .seconds(20)).grants.isEmpty)
    let resumed = farm.handle(.workerResumed(WorkerID(rawValue: "a")))
    #expect(resumed.first == .forgive(WorkerID(rawValue: "a")))
    #expect(resumed.grants.map(\.worker) == [WorkerID(rawValue: "a")])
    #expect(state("a", farm) == .active)
  }

  @Test func `a segment whose held chunk is forgotten is rendered again`() throws {
    var farm = try farm(workers: "a", "b")
    try deliver(Self.wrong, by: "a", on: &farm)
    farm.handle(.heldChunkForgotten(Self.segment, WorkerID(rawValue: "a")))
    #expect(!farm.scheduler.isUnderAudit(Self.segment))
    #expect(counts(farm)?.pending == 1)
    let grant = try farm.lease("b")
    #expect(farm.handle(.chunkAccepted(grant.token)).contains(.finishRendering(job)))
  }

  @Test func `identical segments wait for the verdict`() throws {
    var farm = try SimulatedFarm()
    for worker in ["a", "b", "c"] { farm.addWorker(worker) }
    try farm.addJob("a", order: 1, contents: [10])
    try farm.addJob("b", order: 2, contents: [10])
    let first = try farm.lease("a")
    farm.handle(.chunkHeld(first.token, Self.right))
    let second = try farm.lease("b")
    #expect(second.segment == first.segment)
    #expect(farm.want("c", wait: .zero).grants.isEmpty)
    farm.handle(.chunkHeld(second.token, Self.right))
    let actions = farm.handle(
      .auditSettled(first.segment, .confirmed(Self.right, distrusted: [])))
    let twin = SegmentID(job: JobID(rawValue: "b"), index: 0)
    #expect(actions.contains(.shareChunk(first.segment, with: twin)))
  }

  @Test func `a held chunk binds its job to the worker's libraries`() throws {
    var farm = try farm(workers: "a", "b")
    farm.addWorker("other", fingerprint: "x265")
    try deliver(Self.right, by: "a", on: &farm)
    #expect(farm.scheduler.fingerprint(of: job) == "x264")
    #expect(farm.want("other", wait: .zero).grants.isEmpty)
  }

  @Test func `a pending audit continues after a restart`() throws {
    var farm = try SimulatedFarm()
    for worker in ["a", "b"] { farm.addWorker(worker) }
    let held = HeldChunk(
      worker: WorkerID(rawValue: "a"), identity: identity("a"), sha256: Self.right)
    farm.handle(
      .jobAdded(
        JobEntry(
          id: job, order: 1, fingerprint: "x264",
          segments: [SegmentEntry(frames: 0..<10, attempts: 1, held: [held])])))
    #expect(farm.want("a", wait: .zero).grants.isEmpty)
    #expect(
      try deliver(Self.right, by: "b", on: &farm)
        .contains(.settleAudit(Self.segment, .confirmed(Self.right, distrusted: []))))
  }
}
