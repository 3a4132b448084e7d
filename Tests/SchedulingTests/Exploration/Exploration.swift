import Crypto
import FarmAPI
import Planning
import Scheduling
import Support

/// A scheduler on a random walk, watched by a naive observer.
struct Exploration {
  static let submitters: [String?] = [nil, "ann", "bob"]

  /// The contents of some jobs' segments. There are few, so that several segments are identical.
  private static let contents = Result {
    try (1..<6).map { (frames: $0 * 15, content: try SegmentContent.numbered($0)) }
  }

  private static let fingerprints = ["one", "two"]
  private let settings: SchedulerSettings
  private var random: SeededRandom
  private var scheduler: Scheduler
  private var now = Instant(.zero)
  private var requests: UInt64 = 0
  /// Whether some workers deliver other bytes than the rest.
  private var liesHappen = true
  private var jobCount = 0
  private var workerCount = 0
  /// The tokens of the last few ended leases.
  private var over: [LeaseToken] = []
  private(set) var naive: NaiveFarm
  private(set) var events = 0
  private(set) var restarts = 0

  init(seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    settings = try SchedulerSettings(
      leaseDuration: .seconds(10), gracePeriod: .seconds(20), setAsideDuration: .seconds(5),
      longestSetAside: .seconds(40), forgetWorkerAfter: .seconds(200),
      allowsCopies: !random.once(in: 8), copyAfter: .seconds(3), stuckAfter: .seconds(20),
      longestTransfer: .seconds(60), memoryPatience: .seconds(5),
      starvationGrace: .seconds(8), restartAfter: .seconds(60))
    scheduler = Scheduler(settings: settings)
    naive = NaiveFarm(settings)
    for _ in 0..<random.number(2..<7) { addWorker() }
    for _ in 0..<random.number(1..<4) { addJob() }
  }

  /// Takes a number of random steps, or stops early if a rule is broken, and then lets every job end.
  mutating func run(steps: Int) {
    while events < steps, naive.problems.isEmpty { step() }
    finish()
  }

  private mutating func send(_ event: Event) {
    events += 1
    let before = Set(naive.leases.keys)
    defer { if events.isMultiple(of: 32) { naive.findIdleWorkers(scheduler, at: now) } }
    naive.apply(scheduler.handle(event, at: now), at: now)
    naive.compare(with: scheduler)
    for token in before where naive.leases[token] == nil { over.append(token) }
    if over.count > 40 { over.removeFirst(over.count - 40) }
    while let (segment, verdict) = naive.verdicts.popLast() {
      // Occasionally, the ledger cannot record it.
      if !random.once(in: 20) { conclude(segment, verdict) }
    }
  }

  private mutating func wait(_ duration: Duration) {
    now = now + duration
    send(.timePassed)
  }

  private mutating func step() {
    let lease = randomLease()
    switch (random.number(0..<1000), lease) {
    case (0..<250, _): want()
    case (250..<370, let lease?): beat(lease, comesOn: true)
    case (370..<430, let lease?): beat(lease, comesOn: false)
    case (430..<435, let lease?): arrive(lease)
    case (435..<440, let lease?): damage(lease)
    case (440..<570, let lease?): accept(lease)
    case (570..<600, let lease?): send(.attemptFailed(lease, Self.failure))
    case (600, let lease?): send(.attemptFailed(lease, Self.permanentFailure))
    case (601..<620, let lease?): send(.leaseGivenBack(lease))
    case (620..<660, _): sendStale()
    case (660..<680, _):
      guard let request = naive.waiting.keys.min() else { return }
      naive.waiting[request] = nil
      send(.leaseUnwanted(request))
    case (680..<695, _): refuseChunk()
    case (695..<700, _): forgetChunks()
    case (700..<705, _): if naive.workers.count < 8 { addWorker() }
    case (705, _):
      guard let worker = randomWorker() else { return }
      naive.workers[worker]?.isDraining = true
      send(.workerDrained(worker))
    case (706..<730, _): if naive.jobs.count < 4 { addJob() }
    case (730..<760, _): completeJob()
    case (760, _): cancelJob()
    case (761..<763, _): restart()
    case (770..<775, _): resumeWorker()
    case (775..<780, _): suspectSegment()
    case (780..<788, _): prioritizeJob()
    case (763..<769, _): wait(.seconds(random.number(15..<120)))
    case (769, _): stall(.seconds(random.number(15..<120)))
    default: wait(.milliseconds(random.number(0..<2_000)))
    }
  }

  /// Lets time pass in which the scheduler hears nothing.
  private mutating func stall(_ length: Duration) {
    now = now + length
    for (token, lease) in naive.leases {
      naive.leases[token]?.heard = now
      naive.leases[token]?.progressed = min(now, lease.progressed + length)
      naive.leases[token]?.advanced = min(now, lease.advanced + length)
    }
    send(.stalled(length))
  }

  private static let failure = FailureReport(
    code: "decode-failed", message: "a.mp4: broken", isPermanent: false)
  private static let permanentFailure = FailureReport(
    code: "missing-asset", message: "a.mp4: gone", isPermanent: true)

  private mutating func randomLease() -> LeaseToken? {
    naive.leases.keys.min { $0.rawValue < $1.rawValue }.flatMap { first in
      random.once(in: 3)
        ? first
        : naive.leases.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
    }
  }

  private mutating func randomWorker() -> WorkerID? {
    naive.workers.keys.sorted { $0.rawValue < $1.rawValue }.randomElement(using: &random)
  }

  private mutating func randomJob(where isWanted: (NaiveFarm.Job) -> Bool) -> JobID? {
    naive.jobs.filter { isWanted($0.value) }.keys.sorted { $0.rawValue < $1.rawValue }
      .randomElement(using: &random)
  }

  private mutating func want() {
    guard let worker = randomWorker() else { return addWorker() }
    want(worker, wait: .seconds(random.number(0..<6)))
  }

  private mutating func want(_ worker: WorkerID, wait: Duration) {
    requests += 1
    let id = RequestID(rawValue: requests)
    naive.waiting[id] = worker
    send(
      .leaseWanted(
        LeaseRequest(
          id: id, worker: worker, token: LeaseToken(rawValue: "t\(requests)"),
          deadline: now + wait)))
  }

  private mutating func beat(_ token: LeaseToken, comesOn: Bool) {
    guard let lease = naive.leases[token],
      let total = naive.jobs[lease.grant.segment.job]?.segments[lease.grant.segment.index].frames
        .count
    else { return }
    // Occasionally fewer than before, or more than there are.
    let frames =
      comesOn ? lease.frames + random.number(1..<20) : random.number(0..<(lease.frames + 1))
    naive.leases[token]?.heard = now
    // Some renders receive bytes of their assets, and some wait for them.
    let bytes = lease.assetBytes + (comesOn && random.once(in: 4) ? 1000 : 0)
    let waits = random.once(in: comesOn ? 8 : 2)
    naive.leases[token]?.waitsForAssets = waits
    if bytes > lease.assetBytes {
      naive.leases[token]?.assetBytes = bytes
      naive.leases[token]?.assetsArrived = now
      if now - lease.advanced < settings.longestTransfer { naive.leases[token]?.progressed = now }
    }
    if min(frames, total) > lease.frames {
      naive.leases[token]?.frames = min(frames, total)
      naive.leases[token]?.progressed = now
      naive.leases[token]?.advanced = now
    }
    send(
      .heartbeat(token, framesRendered: frames, assetBytes: bytes, waitsForAssets: waits))
  }

  private mutating func arrive(_ token: LeaseToken) {
    naive.leases[token]?.progressed = now
    naive.leases[token]?.advanced = now
    send(.chunkArriving(token))
  }

  /// Delivers a damaged chunk, at most as often as an attempt may.
  private mutating func damage(_ token: LeaseToken) {
    let limit = naive.settings.damagedUploadLimit
    for _ in 0..<random.number(1..<limit + 1) {
      guard let earlier = naive.leases[token]?.damaged else { return }
      naive.leases[token]?.damaged += 1
      send(.chunkDamaged(token, Self.failure))
      if (naive.leases[token] == nil) != (earlier + 1 == limit) {
        naive.problems.append("a lease survives \(earlier) damaged chunks of at most \(limit)")
      }
    }
  }

  private mutating func accept(_ token: LeaseToken) {
    naive.accepted.insert(token)
    guard let grant = naive.leases[token]?.grant,
      scheduler.isUnderAudit(grant.segment) || (random.once(in: 4) && scheduler.canAudit(token))
    else { return send(.chunkAccepted(token)) }
    let lies = liesHappen && random.once(in: 6)
    let chunk = Digest.of([UInt8](lies ? grant.worker.rawValue.utf8 : "right".utf8))
    naive.delivered[token] = chunk
    send(.chunkHeld(token, chunk))
  }

  /// Records a verdict if it still follows from the held chunks, and handles the consequences.
  private mutating func conclude(_ segment: SegmentID, _ verdict: AuditVerdict) {
    guard scheduler.auditVerdict(on: segment) == verdict,
      let held = naive.jobs[segment.job]?.segments[segment.index].held
    else { return }
    if let chunk = verdict.chunk {
      naive.jobs[segment.job]?.segments[segment.index].isCompleted = true
      naive.jobs[segment.job]?.segments[segment.index].deliverer =
        held.first { $0.sha256 == chunk }?.worker
    }
    naive.jobs[segment.job]?.segments[segment.index].held = []
    send(.auditSettled(segment, verdict))
    for worker in verdict.distrusted { distrust(worker) }
  }

  /// Stops leasing to a worker, and makes its chunks unusable.
  private mutating func distrust(_ identity: WorkerIdentity) {
    let ids = naive.workers.values.filter { $0.identity == identity }.map(\.id)
    for id in ids { naive.workers[id]?.distrust = "it differs" }
    send(.workerDistrusted(identity, "it differs"))
    for (id, job) in naive.jobs.sorted(by: { $0.value.order < $1.value.order }) {
      for index in job.segments.indices {
        let segment = SegmentID(job: id, index: index)
        guard let now = naive.jobs[id]?.segments[index] else { continue }
        if now.isCompleted, ids.contains(where: { $0 == now.deliverer }) {
          send(.chunkForgotten(segment))
        }
        for chunk in now.held where chunk.identity == identity {
          naive.jobs[id]?.segments[index].held.removeAll { $0.identity == identity }
          send(.heldChunkForgotten(segment, chunk.worker))
        }
      }
    }
  }

  private mutating func resumeWorker() {
    guard let worker = randomWorker() else { return }
    naive.workers[worker]?.isDraining = false
    naive.workers[worker]?.distrust = nil
    send(.workerResumed(worker))
  }

  /// Sends events that come late or twice.
  private mutating func sendStale() {
    guard let token = over.randomElement(using: &random) else { return }
    switch random.number(0..<4) {
    case 0: send(.heartbeat(token, framesRendered: 3))
    case 1: send(.chunkAccepted(token))
    case 2: send(.attemptFailed(token, Self.failure))
    default: send(.leaseGivenBack(token))
    }
  }

  private mutating func refuseChunk() {
    guard let id = randomJob(where: { _ in true }), let job = naive.jobs[id] else { return }
    // Usually of completed segments, occasionally of others.
    let index = random.number(0..<job.segments.count)
    send(.chunkRefused(SegmentID(job: id, index: index), Self.failure))
  }

  private mutating func suspectSegment() {
    guard let id = randomJob(where: { _ in true }), let job = naive.jobs[id] else { return }
    let index = random.number(0..<job.segments.count)
    naive.jobs[id]?.segments[index].isSuspected = true
    send(.segmentSuspected(SegmentID(job: id, index: index)))
  }

  private mutating func prioritizeJob() {
    guard let id = randomJob(where: { _ in true }) else { return }
    let priority = random.number(-1..<3)
    naive.jobs[id]?.priority = priority
    send(.jobPrioritized(id, priority))
  }

  /// Forgets some of a job's chunks, as if a token had been revoked.
  private mutating func forgetChunks() {
    guard let id = randomJob(where: { _ in true }), let job = naive.jobs[id] else { return }
    for index in job.segments.indices where random.once(in: 2) {
      send(.chunkForgotten(SegmentID(job: id, index: index)))
    }
  }

  private mutating func completeJob() {
    guard let id = randomJob(where: \.isRendered) else { return }
    naive.ended[id] = .completed
    naive.jobs[id] = nil
    send(.jobRemoved(id))
  }

  private mutating func cancelJob() {
    guard let id = randomJob(where: { _ in true }) else { return }
    naive.ended[id] = .cancelled
    naive.jobs[id] = nil
    send(.jobRemoved(id))
    if naive.leases.values.contains(where: { $0.grant.segment.job == id }) {
      naive.problems.append("a cancelled job keeps a lease")
    }
  }

  private static let pools = ["gpu", "night"].compactMap(PoolName.init)
  /// The most memory that a segment needs.
  private static let largestMemory = 8

  /// - Parameters:
  ///   - memory: the worker's memory; a random one if it is `nil`, which may be too little for some segments.
  ///   - pools: the worker's pools; random ones if it is `nil`.
  private mutating func addWorker(
    _ fingerprint: String? = nil, memory: Int? = nil, pools: [PoolName]? = nil
  ) {
    workerCount += 1
    let some = random.once(in: 4) ? nil : random.number(4..<2 * Self.largestMemory)
    let fingerprint = fingerprint ?? Self.fingerprints[random.once(in: 4) ? 1 : 0]
    let entry = WorkerEntry(
      id: WorkerID(rawValue: "w\(workerCount)"), name: "host-\(workerCount)", slots: 1,
      fingerprint: fingerprint, memory: memory ?? some,
      pools: Set(pools ?? Self.pools.filter { _ in random.once(in: 2) }),
      priority: random.number(-1..<2))
    naive.workers[entry.id] = entry
    send(.workerRegistered(entry))
  }

  private mutating func addJob() {
    jobCount += 1
    let id = JobID(rawValue: "j\(jobCount)")
    var first = 0
    let pool = random.once(in: 2) ? (try? Self.contents.get()) ?? [] : []
    // In half of the jobs, all segments need equal memory.
    let memory = random.once(in: 2) ? random.number(0..<Self.largestMemory + 1) : nil
    let segments = (0..<random.number(1..<13)).map { _ in
      let choice = pool.isEmpty ? nil : pool[random.number(0..<pool.count)]
      let count = choice?.frames ?? random.number(5..<90)
      defer { first += count }
      return NaiveFarm.Segment(
        frames: first..<(first + count), cost: Int64(count),
        memory: memory ?? random.number(0..<Self.largestMemory + 1), content: choice?.content)
    }
    naive.jobs[id] = NaiveFarm.Job(
      order: jobCount, priority: random.once(in: 4) ? 1 : 0,
      submitter: Self.submitters[random.number(0..<3)],
      pool: random.once(in: 4) ? Self.pools[random.number(0..<Self.pools.count)] : nil,
      segments: segments)
    guard let entry = naive.entry(of: id, saysContents: true) else { return }
    send(.jobAdded(entry))
  }

  /// Kills the scheduler, and starts another one with the ledger's state.
  private mutating func restart() {
    restarts += 1
    naive.waiting = [:]
    scheduler = Scheduler(settings: settings)
    // Until the last job is back, only the jobs that are back are counted.
    let jobs = naive.jobs
    naive.jobs = [:]
    naive.leases = [:]
    for worker in naive.workers.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
      send(.workerRegistered(worker))
    }
    for (id, job) in jobs.sorted(by: { $0.value.order < $1.value.order }) {
      naive.jobs[id] = job
      naive.jobs[id]?.forgetDeliveries()
      for index in job.segments.indices {
        for (number, grant) in job.segments[index].leases.enumerated() {
          // Of two leases, the remaining one is the first from now on.
          var grant = grant
          grant.isCopy = number > 0
          naive.jobs[id]?.segments[index].leases[number] = grant
          // A lease is kept for the grace period, and its progress is reported again.
          naive.leases[grant.token] = NaiveFarm.Lease(
            grant: grant, memory: job.segments[index].memory, since: now, heard: now,
            progressed: now, advanced: now, isResumed: true)
        }
      }
      // The contents of segments planned before a restart are unknown until they become known later.
      for index in job.segments.indices {
        naive.jobs[id]?.segments[index].content = nil
        naive.jobs[id]?.segments[index].isSuspected = false
      }
      guard let entry = naive.entry(of: id, saysContents: false) else { continue }
      naive.jobs[id]?.isRendered = false
      naive.jobs[id]?.firstMissing = job.segments.firstIndex { !$0.isCompleted } ?? 0
      send(.jobAdded(entry))
    }
    for (id, job) in jobs.sorted(by: { $0.value.order < $1.value.order }) {
      guard let contents = job.contents, naive.jobs[id] != nil else { continue }
      for (index, content) in contents.enumerated() {
        naive.jobs[id]?.segments[index].content = content
      }
      send(.contentsKnown(id, contents))
    }
  }

  /// Lets healthy workers do all remaining work, so that every job must end.
  private mutating func finish() {
    liesHappen = false
    for fingerprint in Self.fingerprints {
      for _ in 0..<3 { addWorker(fingerprint, memory: Self.largestMemory, pools: Self.pools) }
    }
    for _ in 0..<2_000 where !naive.jobs.isEmpty && naive.problems.isEmpty {
      for worker in naive.workers.keys.sorted(by: { $0.rawValue < $1.rawValue }) {
        want(worker, wait: .zero)
      }
      for token in naive.leases.keys.sorted(by: { $0.rawValue < $1.rawValue })
      where naive.leases[token] != nil {
        beat(token, comesOn: true)
        accept(token)
      }
      while naive.jobs.values.contains(where: \.isRendered) { completeJob() }
      wait(.seconds(1))
    }
    if !naive.jobs.isEmpty { naive.problems.append("a job does not end") }
    if !naive.leases.isEmpty { naive.problems.append("leases outlive their jobs") }
  }
}

extension SeededRandom {
  /// A random number in a range.
  fileprivate mutating func number(_ range: Range<Int>) -> Int {
    Int.random(in: range, using: &self)
  }

  /// Returns `true` once in `count` times on average.
  fileprivate mutating func once(in count: Int) -> Bool { number(0..<count) == 0 }
}
