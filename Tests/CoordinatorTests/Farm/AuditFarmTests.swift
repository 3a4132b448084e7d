import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Segments that a second worker renders to check the first one.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AuditFarmTests {
  /// A worker that delivers honest or forged chunks.
  private struct Hand {
    let holder: TokenHolder
    let worker: String
    var forges = false

    init(_ holder: TokenHolder, name: String, forges: Bool = false) async throws {
      self.holder = holder
      self.forges = forges
      worker = try await holder.register(name: name)
    }

    /// Renders one segment, and returns its number; `nil` if there is no segment for the worker.
    func work() async throws -> Int? {
      let answer = try await holder.send(.post, "/workers/\(worker)/leases?wait=0")
      guard answer.status == .ok else { return nil }
      let lease = try await answer.wire(as: Lease.self)
      let bytes = forges ? TrustingFarm.forged(lease) : TestFarm.chunk(of: lease)
      _ = try await holder.deliver(lease, bytes)
      return lease.segment
    }
  }

  /// Lets workers take turns until a job ends.
  ///
  /// - Returns: the number of segments that each worker rendered.
  @discardableResult
  private func finish(
    _ job: String, on trusting: TrustingFarm, _ hands: Hand...
  ) async throws -> [Int] {
    var counts = hands.map { _ in 0 }
    try await eventually("job \(job) ends", every: .milliseconds(2)) {
      for (index, hand) in hands.enumerated() where try await hand.work() != nil {
        counts[index] += 1
      }
      return try await trusting.status(of: job).state.isFinal
    }
    return counts
  }

  /// Lets a worker that forges chunks and an honest one take turns until both are distrusted.
  private func quarrel(_ liar: Hand, _ honest: Hand, on trusting: TrustingFarm) async throws {
    try await eventually("the honest worker is distrusted", every: .milliseconds(2)) {
      _ = try await liar.work()
      _ = try await honest.work()
      return try await status(of: honest, on: trusting).state == .distrusted
    }
  }

  private func status(of hand: Hand, on trusting: TrustingFarm) async throws -> WorkerStatus {
    let workers: [WorkerStatus] = try await trusting.root.send(.get, "/workers").wire()
    return try #require(workers.first { $0.id == hand.worker })
  }

  @Test func `two workers render each segment if all segments are audited`() async throws {
    let trusting = try await TrustingFarm(auditShare: 1)
    let job = try await trusting.submit()
    let rendered = try await finish(
      job, on: trusting, Hand(trusting.rack, name: "r"), Hand(trusting.mallory, name: "m"))
    #expect(rendered == [9, 9])
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
    #expect(try await trusting.metric("sheaf_audits_total") == 9)
    #expect(try await trusting.metric("sheaf_audits_failed_total") == 0)
    #expect(try await trusting.metric("sheaf_chunks_accepted_total") == 9)
  }

  @Test func `a worker that forges chunks is distrusted, and the file has none of its chunks`()
    async throws
  {
    let lines = Mutex<[String]>([])
    let log = Log(.normal) { line in lines.withLock { $0.append(line) } }
    let trusting = try await TrustingFarm(auditShare: 1, log: log)
    let tower = try TokenHolder(.worker, "tower", of: trusting.farm)
    // While it is the only worker, its forgery goes unnoticed.
    let liar = try await Hand(trusting.mallory, name: "m", forges: true)
    let early = try await trusting.submit()
    try await finish(early, on: trusting, liar)
    #expect(try await trusting.output(of: early) == TrustingFarm.forgery)
    // The log and the metrics show that nothing was compared.
    #expect(try await trusting.metric("sheaf_audits_uncompared_total") == 9)
    #expect(lines.withLock { $0.count { $0.contains("accepted without an audit") } } == 9)

    let next = try await resubmit(on: trusting)
    let (r, t) = (
      try await Hand(trusting.rack, name: "r"), try await Hand(tower, name: "t")
    )
    try await finish(next, on: trusting, liar, r, t)
    #expect(try await trusting.output(of: next) == TrustingFarm.honest)
    let found = try await status(of: liar, on: trusting)
    #expect(found.state == .distrusted)
    #expect(found.reason?.contains("two other workers") == true)
    #expect(try await trusting.metric("sheaf_audits_failed_total") == 1)
    #expect(try await trusting.metric("sheaf_workers_distrusted_total") == 1)
    #expect(try await trusting.metric("sheaf_workers{state=\"distrusted\"}") == 1)
    let said = lines.withLock { $0 }
    #expect(
      said.contains {
        $0.contains("msg=\"gets no more leases until it is resumed") && $0.contains(" worker=m")
      })
    #expect(said.contains { $0.contains("finished job \(early)") }, "\(said)")

    // It gets no leases under a new id either, until an admin resumes it.
    let again = try await Hand(trusting.mallory, name: "m", forges: false)
    let last = try await resubmit(on: trusting)
    try await eventually("the job renders") {
      try await trusting.status(of: last).state == .rendering
    }
    #expect(try await again.work() == nil)
    #expect(
      try await again.holder.send(.post, "/workers/\(again.worker)/resume").status
        == .forbidden)
    let resumed = try await trusting.root.send(.post, "/workers/\(again.worker)/resume")
    #expect(try await resumed.wire(as: WorkerStatus.self).state == .active)
    #expect(try await again.work() != nil)
    try await finish(last, on: trusting, again, r)
    #expect(try await trusting.output(of: last) == TrustingFarm.honest)
  }

  /// Submits the project, and has all of it rendered anew.
  private func resubmit(on trusting: TrustingFarm) async throws -> String {
    let submission = JobSubmission(
      name: "anew", project: TestFarm.project,
      assets: ["a.mp4": try await reference(on: trusting)], rerenders: true)
    return try await trusting.ada.send(
      .post, "/jobs", body: FarmCoding.encode(submission)
    ).wire(as: JobStatus.self).id
  }

  private func reference(on trusting: TrustingFarm) async throws -> AssetReference {
    let bytes = Data("a clip".utf8)
    _ = try await trusting.ada.upload(bytes)
    return AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
  }

  @Test func `two workers that disagree are both distrusted if no third one can decide`()
    async throws
  {
    let trusting = try await TrustingFarm(auditShare: 1)
    let job = try await trusting.submit()
    let liar = try await Hand(trusting.mallory, name: "m", forges: true)
    let honest = try await Hand(trusting.rack, name: "r")
    try await quarrel(liar, honest, on: trusting)
    #expect(try await status(of: liar, on: trusting).state == .distrusted)
    #expect(try await trusting.status(of: job).segments.completed == 0)
    #expect(try await liar.work() == nil)
    #expect(try await honest.work() == nil)
    // The operator knows which of them can be trusted.
    _ = try await trusting.root.send(.post, "/workers/\(honest.worker)/resume")
    try await finish(job, on: trusting, honest, liar)
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
  }

  @Test func `a worker stays distrusted after a restart`() async throws {
    let before = try await TrustingFarm(auditShare: 1)
    let liar = try await Hand(before.mallory, name: "m", forges: true)
    let honest = try await Hand(before.rack, name: "r")
    _ = try await before.submit()
    try await quarrel(liar, honest, on: before)
    _ = try await before.root.send(.post, "/workers/\(honest.worker)/resume")
    await before.farm.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.farm.directory.path("data"), toPath: directory.path("data"))
    let after = try await TestFarm(in: directory, ledger: .onDisk, access: .tokens)
    let root = TokenHolder(before.root, of: after)
    let workers: [WorkerStatus] = try await root.send(.get, "/workers").wire()
    #expect(workers.map(\.state) == [.distrusted, .active])
    #expect(workers.map { $0.reason == nil } == [false, true])
    await after.coordinator.stop()
  }

  @Test func `an audit continues after a restart`() async throws {
    let before = try await TrustingFarm(auditShare: 1)
    let job = try await before.submit()
    let first = try await Hand(before.rack, name: "r")
    let second = try await Hand(before.mallory, name: "m")
    try await eventually("the job renders") { try await before.status(of: job).state == .rendering }
    for _ in 0..<9 { #expect(try await first.work() != nil) }
    #expect(try await before.status(of: job).segments.completed == 0)
    await before.farm.coordinator.stop()
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: before.farm.directory.path("data"), toPath: directory.path("data"))

    let after = try await TestFarm(in: directory, ledger: .onDisk, access: .tokens, auditShare: 1)
    let auditor = TokenHolder(second.holder, of: after)
    for _ in 0..<9 {
      let lease = try await auditor.lease(second.worker)
      #expect(lease.attempt == 2)
      #expect(try await auditor.deliver(lease).status == .ok)
    }
    let root = TokenHolder(before.root, of: after)
    try await root.wait(for: job, until: .completed)
    let output = try await root.send(.get, "/jobs/\(job)/output").content()
    #expect(String(decoding: output, as: UTF8.self) == TrustingFarm.honest)
    await after.coordinator.stop()
  }

  /// Submits a job and delivers one chunk, which is held for its audit.
  ///
  /// - Returns: the job, the worker that delivered the chunk, another worker, and the chunk's path.
  private func underAudit(
    on trusting: TrustingFarm
  ) async throws -> (job: String, first: Hand, second: Hand, path: String) {
    let job = try await trusting.submit()
    let first = try await Hand(trusting.rack, name: "r")
    let second = try await Hand(trusting.mallory, name: "m")
    let lease = try await first.holder.lease(first.worker)
    #expect(try await first.holder.deliver(lease).status == .ok)
    #expect(try await segmentsUnderAudit(of: job, on: trusting) == [lease.segment])
    let path = trusting.farm.directory.stored(
      .of(TestFarm.chunk(of: lease)), in: "chunks")
    return (job, first, second, path)
  }

  private func segmentsUnderAudit(
    of job: String, on trusting: TrustingFarm
  ) async throws -> [Int] {
    let segments: [SegmentStatus] = try await trusting.ada.send(.get, "/jobs/\(job)/segments")
      .wire()
    return segments.filter { $0.isUnderAudit == true }.map(\.index)
  }

  @Test func `a held chunk that is damaged on disk is dropped, and its segment is rendered again`()
    async throws
  {
    let trusting = try await TrustingFarm(auditShare: 1)
    let (job, first, second, path) = try await underAudit(on: trusting)
    let file = try FileHandle(forWritingTo: URL(filePath: path))
    try file.write(contentsOf: Data("x".utf8))
    try file.close()
    try await trusting.farm.coordinator.scrubOnce()
    #expect(try await segmentsUnderAudit(of: job, on: trusting) == [])
    #expect(try await trusting.metric("sheaf_chunks_lost_total") == 1)
    // No chunk of the first worker is held any more, so it may render the segment again.
    var rendered: [Int?] = []
    for _ in 0..<9 { rendered.append(try await first.work()) }
    #expect(Set(rendered) == Set(0..<9))
    #expect(try await finish(job, on: trusting, second) == [9])
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
    #expect(try await trusting.metric("sheaf_audits_failed_total") == 0)
  }

  @Test func `a held chunk that is missing does not count if its auditor goes away`() async throws {
    let trusting = try await TrustingFarm(auditShare: 1)
    let (job, first, second, path) = try await underAudit(on: trusting)
    try FileManager.default.removeItem(atPath: path)
    _ = try await trusting.root.send(.post, "/workers/\(second.worker)/drain")
    #expect(try await finish(job, on: trusting, first) == [9])
    #expect(try await trusting.output(of: job) == TrustingFarm.honest)
    // All nine chunks were rendered after that, and no worker is left to compare them with.
    #expect(try await trusting.metric("sheaf_audits_uncompared_total") == 9)
    #expect(try await trusting.metric("sheaf_chunks_lost_total") == 1)
  }

  @Test func `delivering a held chunk again gets the same response`() async throws {
    let trusting = try await TrustingFarm(auditShare: 1)
    _ = try await trusting.submit()
    let worker = try await trusting.mallory.register(name: "m")
    _ = try await trusting.rack.register(name: "r")
    let lease = try await trusting.mallory.lease(worker)
    #expect(try await trusting.mallory.deliver(lease).status == .ok)
    let segments: [SegmentStatus] = try await trusting.ada.send(.get, "/jobs/\(lease.job)/segments")
      .wire()
    #expect(segments.filter { $0.isUnderAudit == true }.map(\.index) == [lease.segment])
    #expect(try await trusting.mallory.deliver(lease).status == .ok)
    #expect(
      try await trusting.mallory.deliver(lease, TrustingFarm.forged(lease)).status == .conflict)
  }
}
