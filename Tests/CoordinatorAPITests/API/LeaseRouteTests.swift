import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Support
import Synchronization
import Testing
import Timeline
import sheaf_coordinator

@Suite(.mayBlock) struct LeaseRouteTests {
  @Test func `an unknown worker must register`() async throws {
    let farm = try await TestFarm()
    #expect(try await farm.send(.post, "/workers/none/leases?wait=30").problem() == .notFound)
  }

  @Test func `a worker gets no content if there is no work`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    #expect(try await farm.send(.post, "/workers/\(worker)/leases").status == .noContent)
  }

  @Test func `a waiting worker gets the first segment of a job that is submitted later`()
    async throws
  {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    async let lease = farm.lease(worker)
    let job = try await farm.submit()
    #expect(try await lease.job == job.id)
  }

  @Test func `a lease is sent with the digest of its bytes`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let response = try await farm.send(.post, "/workers/\(worker)/leases?wait=60")
    let body = try await response.content()
    #expect(response.headers[ContentDigest.headerName] == ContentDigest.value(for: body))
    #expect(try FarmCoding.decode(Lease.self, from: body).job == job.id)
  }

  @Test func `heartbeats update the job's rendered frames`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 7)))
    #expect(try await beat.wire(as: HeartbeatAnswer.self) == HeartbeatAnswer(stop: false))
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).framesRendered == 7)
    let segments: [SegmentStatus] = try await farm.get("/jobs/\(job.id)/segments")
    #expect(segments[lease.segment].framesRendered == 7)
    #expect(segments[lease.segment].worker == "host")
  }

  @Test func `delivering the same chunk again is accepted`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    for _ in 0..<2 { #expect(try await farm.deliver(lease).status == .ok) }
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 1)
  }

  @Test func `a different chunk under a finished lease is stale`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    #expect(try await farm.deliver(lease).status == .ok)
    let other = try await farm.deliver(lease) { $0.sha256 = Digest.of(Data("other".utf8)) }
    #expect(other.status == .conflict)
    #expect(try await other.problem() == .staleLease)
  }

  @Test
  func `a chunk whose bytes change in transit is sent again, and finally fails its attempt`()
    async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let worker = try await farm.register()
    let first = try await farm.lease(worker)
    let damage = { (manifest: inout ChunkManifest) in
      manifest.sha256 = Digest.of(Data("other".utf8))
    }
    for _ in 1..<5 {
      let response = try await farm.deliver(first, damage)
      #expect(response.status == .unprocessableContent)
      #expect(try await response.problem() == .damagedChunk)
    }
    #expect(try await farm.deliver(first).status == .ok)

    let second = try await farm.lease(worker)
    for _ in 1..<5 { _ = try await farm.deliver(second, damage) }
    #expect(try await farm.deliver(second, damage).problem() == .invalidChunk)
    #expect(try await farm.deliver(second).problem() == .staleLease)
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [1])
    #expect(try await farm.metric("sheaf_chunks_refused_total") == 9)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 1)
  }

  private static let shown = Concealment(
    asset: Digest.of(Data("a clip".utf8)), time: RationalTime(1), frames: 2..<3)

  @Test(arguments: [
    ("\"frameCount\":", "\"frameCount\":1"), ("\"byteCount\":", "\"byteCount\":1"),
    ("\"concealments\":", "\"concealment\":"), ("{", "k"),
  ])
  func `a chunk whose manifest changes in transit is sent again`(
    text: String, damaged: String
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    func deliver(isDamaged: Bool) async throws -> Response {
      try await farm.deliver(
        lease, concealing: [Self.shown],
        damage: { headers in
          let line = headers[ChunkManifest.headerName] ?? ""
          #expect(line.contains(text))
          guard isDamaged else { return }
          headers[ChunkManifest.headerName] = line.replacingOccurrences(of: text, with: damaged)
        })
    }
    for _ in 1..<5 {
      #expect(try await deliver(isDamaged: true).problem() == .damagedChunk)
    }
    #expect(try await deliver(isDamaged: false).status == .ok)
    // The coordinator's answer may have been lost, so the worker sends the chunk once more.
    #expect(try await deliver(isDamaged: true).problem() == .damagedChunk)
    #expect(try await deliver(isDamaged: false).status == .ok)
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.concealed?.map(\.frameCount) == [1])
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [0])
  }

  @Test func `a chunk whose list of concealments changes in transit is sent again`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    for _ in 1..<5 {
      let damaged = try await farm.deliver(
        lease, concealing: [Self.shown],
        damageList: { list in
          list = Data(String(decoding: list, as: UTF8.self).replacing("[2,3]", with: "[2,7]").utf8)
        })
      #expect(try await damaged.problem() == .damagedChunk)
    }
    #expect(try await farm.deliver(lease, concealing: [Self.shown]).status == .ok)
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.concealed?.map(\.frameCount) == [1])
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [0])
  }

  @Test(arguments: ["short", "long", "unreadable", "too large"])
  func `a list of concealments that does not match its manifest is refused`(
    fault: String
  ) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let response = try await farm.deliver(lease, concealing: [Self.shown]) { manifest in
      switch fault {
      case "unreadable": manifest.concealments = ConcealmentList.Stamp(of: Data("[2]".utf8))
      case "too large": manifest.concealments?.byteCount = ConcealmentList.byteLimit + 1
      default: break
      }
    } damageList: { list in
      switch fault {
      case "short": list.removeLast()
      case "long": list.append(0x20)
      case "unreadable": list = Data("[2]".utf8)
      default: break
      }
    }
    #expect(try await response.problem() == .invalidChunk)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 0)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a chunk that conceals thousands of parts can be delivered over a connection`() async throws
  {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    // A copied segment has a minute of frames; at 60 a second, every other one is concealed.
    let parts = try stride(from: 0, to: 3600, by: 2).map { frame in
      Concealment(
        asset: Digest.of(Data("a clip".utf8)), time: try RationalTime(Int64(frame), 60),
        frames: frame..<frame + 1)
    }
    let list = try ConcealmentList(parts).encoded()
    #expect(list.count > 2 * ServerLimits().headerBytes)
    let bytes = TestFarm.chunk(of: lease)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]),
      concealments: ConcealmentList.Stamp(of: list))
    let response = try await Client().send(
      ClientRequest(
        .put, "http://127.0.0.1:\(server.port)/api/v1/leases/\(lease.token)/chunk",
        headers: Headers(try manifest.headers()), body: bytes + list))
    #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
    let status: JobStatus = try await farm.get("/jobs/\(job.id)")
    #expect(status.concealedCount == parts.count)
    var shown: [ConcealedMedia] = []
    while shown.count < parts.count {
      let page: [ConcealedMedia] = try await farm.get(
        "/jobs/\(job.id)/concealments?after=\(shown.count)")
      try #require(!page.isEmpty)
      shown += page
    }
    let first = lease.description.first
    #expect(
      shown.compactMap(\.firstFrame) == Array(stride(from: first, to: first + 3600, by: 2)))
    await server.shutdown(grace: .zero)
  }

  @Test(arguments: [ChunkManifest.headerName, ChunkManifest.digestHeaderName])
  func `a chunk that loses a manifest header in transit is sent again`(
    name: String
  ) async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let damaged = try await farm.deliver(lease, damage: { $0[name] = nil })
    #expect(damaged.status == .unprocessableContent)
    #expect(try await damaged.problem() == .damagedChunk)
    #expect(try await farm.deliver(lease).status == .ok)
  }

  @Test(arguments: ["size", "frames", "parameter sets"])
  func `a chunk that does not match its manifest or lease is refused`(what: String) async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let response = try await farm.deliver(lease) { manifest in
      switch what {
      case "size": manifest.byteCount += 1
      case "frames": manifest.frameCount -= 1
      default: manifest.parameterSets = Data([1, 2, 3])
      }
    }
    #expect(response.status == .unprocessableContent)
    #expect(try await response.problem() == .invalidChunk)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 0)
    // The attempt counts as the worker's failure, even if the worker then delivers a good chunk.
    #expect(try await farm.deliver(lease).problem() == .staleLease)
    let workers: [WorkerStatus] = try await farm.get("/workers")
    #expect(workers.map(\.segmentsFailed) == [1])
    #expect(try await farm.metric("sheaf_chunks_refused_total") == 1)
  }

  @Test func `a chunk that has more bytes than its manifest states fails its attempt`() async throws
  {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let response = try await farm.deliver(lease) { $0.byteCount -= 1 }
    #expect(try await response.problem() == .invalidChunk)
    try await eventually("the attempt has failed") {
      try await farm.get("/workers", as: [WorkerStatus].self).map(\.segmentsFailed) == [1]
    }
    #expect(try await farm.deliver(lease).problem() == .staleLease)
  }

  @Test func `a late chunk is accepted if its segment already has the same chunk`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let (first, second) = (try await farm.register(), try await farm.register(name: "other"))
    let late = try await farm.lease(first)
    #expect(try await farm.send(.delete, "/leases/\(late.token)").status == .noContent)
    #expect(try await farm.deliver(late).problem() == .staleLease)
    let lease = try await farm.lease(second)
    #expect(lease.segment == late.segment)
    #expect(try await farm.deliver(lease).status == .ok)

    #expect(try await farm.deliver(late).status == .ok)
    let other = try await farm.deliver(late) { $0.sha256 = Digest.of(Data("other".utf8)) }
    #expect(try await other.problem() == .staleLease)
    #expect(try await farm.metric("sheaf_chunks_repeated_total") == 1)
    #expect(try await farm.metric("sheaf_chunks_differing_total") == 1)
    #expect(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).segments.completed == 1)
  }

  @Test func `changing the system clock does not affect leases`() async throws {
    let calendar = Mutex(Date())
    let farm = try await TestFarm(calendar: { calendar.withLock { $0 } })
    _ = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    for years in [10.0, -30, 20] {
      calendar.withLock { $0 += years * 365 * 86_400 }
      #expect(try await !farm.isStopped(lease))
      let workers: [WorkerStatus] = try await farm.get("/workers")
      #expect(workers.map(\.state) == [.active])
    }
    #expect(try await farm.deliver(lease).status == .ok)
  }

  @Test func `an unknown lease token is stale, even with the right chunk`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let worker = try await farm.register()
    var lease = try await farm.lease(worker)
    #expect(try await farm.deliver(lease).status == .ok)
    lease.token = "guessed"
    #expect(try await farm.deliver(lease).problem() == .staleLease)
  }

  @Test func `jobs with a higher priority come first`() async throws {
    let farm = try await TestFarm()
    let first = try await farm.register()
    let early = try await farm.submit(name: "early")
    #expect(try await farm.lease(first).job == early.id)
    let urgent = try await farm.submit(name: "urgent", priority: 5)
    #expect(urgent.priority == 5)
    try await farm.wait(for: urgent, until: .rendering)
    #expect(try await farm.lease(first).job == urgent.id)
  }

  @Test func `a priority that is too high is refused`() async throws {
    let farm = try await TestFarm()
    let submission = JobSubmission(
      name: "cut", project: TestFarm.project, assets: [:], priority: 101)
    #expect(try await farm.post("/jobs", submission).problem() == .malformedRequest)
  }

  @Test func `a lease that was given back is stale and its segment is leased again`() async throws {
    let farm = try await TestFarm()
    _ = try await farm.submit()
    let worker = try await farm.register()
    let lease = try await farm.lease(worker)
    #expect(try await farm.send(.delete, "/leases/\(lease.token)").status == .noContent)
    #expect(try await farm.deliver(lease).problem() == .staleLease)
    let beat = try await farm.send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(try await beat.problem() == .staleLease)
    let again = try await farm.lease(worker)
    #expect(again.segment == lease.segment)
    #expect(again.attempt == 2)
  }

  @Test func `a permanent failure fails the job and marks the segment`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let report = FailureReport(
      code: "unsupported-codec", message: "a.mp4: no decoder", isPermanent: true)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    let end = try await farm.end(of: job)
    #expect(end.failure == JobFailure(code: "unsupported-codec", message: "a.mp4: no decoder"))
    #expect(end.segments.failed == 1)
  }

  @Test func `a draining worker is shown as draining and gets no leases`() async throws {
    let farm = try await TestFarm()
    let worker = try await farm.register()
    let status: WorkerStatus = try await farm.send(.post, "/workers/\(worker)/drain").wire()
    #expect(status.state == .draining)
    let job = try await farm.submit()
    let other = try await farm.register(name: "other")
    #expect(try await farm.lease(other).job == job.id)
    #expect(try await farm.send(.post, "/workers/\(worker)/leases").status == .noContent)
  }

  @Test(arguments: ["nonsense", "{}", "{\"name\":\"a\",\"slots\":0,\"fingerprint\":\"f\"}"])
  func `an invalid registration is refused`(body: String) async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(.post, "/workers", body: Data(body.utf8))
    #expect(response.status == .badRequest)
    #expect(try await response.problem() == .malformedRequest)
  }
}
