import FarmAPI
import Scheduling
import Testing

/// Random event sequences, against what must hold whatever happens.
struct InvariantTests {
  /// SplitMix64 by Sebastiano Vigna: the same sequence for the same seed.
  struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return z ^ (z >> 31)
    }
  }

  /// What an observer who sees only events and actions knows.
  struct Ledger {
    var leased: [SegmentID: Grant] = [:]
    var completed: Set<SegmentID> = []
    var accepted: Set<LeaseToken> = []
    var ended: [JobID: Bool] = [:]
    var fingerprints: [JobID: String?] = [:]
    var workerFingerprints: [WorkerID: String] = [:]
    var segmentCounts: [JobID: Int] = [:]

    mutating func record(_ actions: [Action]) {
      for action in actions {
        switch action {
        case .grant(_, let grant):
          #expect(leased[grant.segment] == nil, "a segment is leased twice at once")
          #expect(!completed.contains(grant.segment), "a completed segment is leased")
          #expect(ended[grant.segment.job] == nil, "a segment of an ended job is leased")
          #expect(
            fingerprints[grant.segment.job] == workerFingerprints[grant.worker],
            "two fingerprints serve one job")
          leased[grant.segment] = grant
        case .endAttempt(let grant, let outcome):
          #expect(leased.removeValue(forKey: grant.segment) == grant, "an unknown lease ends")
          guard outcome == .completed else { continue }
          #expect(accepted.contains(grant.token), "completed without an accepted chunk")
          completed.insert(grant.segment)
        case .finishRendering(let job):
          #expect(completed.count { $0.job == job } == segmentCounts[job])
          ended[job] = true
        case .failJob(let segment, _):
          #expect(!leased.keys.contains { $0.job == segment.job }, "a failed job keeps a lease")
          ended[segment.job] = false
        case .fixFingerprint(let job, let fingerprint): fingerprints[job] = fingerprint
        default: break
        }
      }
    }
  }

  @Test(arguments: 1...40)
  func `no segment is leased twice, lost, or completed without a chunk; every job ends`(
    seed: UInt64
  )
    throws
  {
    var random = SplitMix(state: seed)
    var farm = SimulatedFarm(
      try SchedulerSettings(leaseDuration: .seconds(10), setAsideDuration: .seconds(5)))
    var ledger = Ledger()
    let workers = (0..<Int.random(in: 1...6, using: &random)).map { "w\($0)" }
    for worker in workers {
      // Where there are two fingerprints, each has workers that never go away.
      let fingerprint = workers.count > 3 && worker.hasSuffix("1") ? "two" : "one"
      farm.addWorker(worker, fingerprint: fingerprint)
      ledger.workerFingerprints[WorkerID(rawValue: worker)] = fingerprint
    }
    for order in 0..<3 {
      let id = JobID(rawValue: "job\(order)")
      let frames = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        Int.random(in: 5...90, using: &random)
      }
      ledger.segmentCounts[id] = frames.count
      farm.addJob(id.rawValue, order: order, frames: frames)
    }
    for _ in 0..<20_000 where ledger.ended.count < 3 {
      step(&farm, &ledger, workers, &random)
      check(farm, ledger)
    }
    #expect(ledger.ended.count == 3, "a job neither completed nor failed")
  }

  private func step(
    _ farm: inout SimulatedFarm, _ ledger: inout Ledger, _ workers: [String],
    _ random: inout SplitMix
  ) {
    let lease = ledger.leased.values.sorted { $0.token.rawValue < $1.token.rawValue }
      .randomElement(using: &random)
    switch (Int.random(in: 0..<100, using: &random), lease) {
    case (0..<35, _):
      guard let worker = workers.randomElement(using: &random) else { return }
      ledger.record(farm.want(worker, wait: .seconds(Int.random(in: 0...5, using: &random))))
    case (35..<55, let lease?):
      ledger.accepted.insert(lease.token)
      ledger.record(farm.handle(.chunkAccepted(lease.token)))
    case (55..<58, let lease?):
      ledger.record(farm.handle(.attemptFailed(lease.token, decodeFailed)))
    case (58..<62, let lease?):
      ledger.record(farm.handle(.leaseGivenBack(lease.token)))
    case (62..<80, let lease?):
      ledger.record(farm.handle(.heartbeat(lease.token, framesRendered: 3)))
    default:
      ledger.record(farm.wait(.milliseconds(Int.random(in: 0...2_000, using: &random))))
    }
  }

  private func check(_ farm: SimulatedFarm, _ ledger: Ledger) {
    #expect(farm.scheduler.leaseCount == ledger.leased.count)
    for (job, count) in ledger.segmentCounts {
      guard let progress = farm.scheduler.progress(of: job) else { continue }
      #expect(progress.segments.total == count, "a segment is lost")
      #expect(progress.segments.leased == ledger.leased.keys.count { $0.job == job })
      #expect(progress.segments.completed == ledger.completed.count { $0.job == job })
    }
  }

  @Test func `a thousand workers render ten thousand segments`() throws {
    var farm = try SimulatedFarm()
    farm.addJob(frames: (0..<10_000).map { 100 + $0 % 60 })
    var free = (0..<1_000).map { "w\($0)" }
    for worker in free { farm.addWorker(worker) }
    var running: [Grant] = []
    var completed = 0
    while completed < 10_000 {
      while let worker = free.popLast() {
        guard let grant = farm.want(worker).grants.first else { break }
        running.append(grant)
      }
      for grant in running {
        farm.handle(.heartbeat(grant.token, framesRendered: 50))
        completed += farm.handle(.chunkAccepted(grant.token)).ended.count { $0 == .completed }
        free.append(grant.worker.rawValue)
      }
      running = []
    }
    #expect(farm.scheduler.progress(of: job)?.segments.completed == 10_000)
  }
}
