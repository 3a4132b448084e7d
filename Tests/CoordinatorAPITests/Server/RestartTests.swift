import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Processes
import Support
import Testing

/// The real program, killed or stopped and started again.
@Suite(.mayBlock) struct RestartTests {
  private func send<Value: Decodable>(
    _ client: Client, _ method: HTTP.Method, _ url: String, headers: Headers = [:],
    body: Data? = nil, as type: Value.Type = Value.self
  ) async throws -> Value {
    let response = try await client.send(
      ClientRequest(method, url, headers: headers, body: body, timeout: longestWait))
    try #require(response.status.isSuccess, "\(url): \(response.status)")
    return try FarmCoding.decode(type, from: response.body)
  }

  private func submit(
    _ clip: String, to url: String, by client: Client
  ) async throws -> JobStatus {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
    let digest = Digest.of(bytes)
    let upload = try await client.send(
      ClientRequest(.put, "\(url)/assets/\(digest)", body: bytes))
    try #require(upload.status == .created)
    let submission = JobSubmission(
      name: "cut",
      project: #"""
        {"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "highestQuality"}}
        """#,
      assets: ["a.mp4": AssetReference(digest: digest, byteCount: Int64(bytes.count))])
    return try await send(client, .post, "\(url)/jobs", body: FarmCoding.encode(submission))
  }

  private func chunk(of lease: Lease) -> Data { Data("chunk \(lease.segment)".utf8) }

  /// The path of a lease's chunk in the data directory.
  private func path(ofChunkOf lease: Lease, in scratch: TemporaryDirectory) -> String {
    scratch.stored(.of(chunk(of: lease)), in: "chunks")
  }

  private func deliver(
    _ lease: Lease, to url: String, by client: Client
  ) async throws -> Status {
    let bytes = chunk(of: lease)
    let manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    return try await client.send(
      ClientRequest(
        .put, "\(url)/leases/\(lease.token)/chunk",
        headers: Headers(try manifest.headers()), body: bytes)
    ).status
  }

  @Test(.timeLimit(.minutes(15)))
  func `a coordinator keeps running if its log cannot be written`() async throws {
    let scratch = try TemporaryDirectory()
    let process = Program.coordinator.process(
      ["serve", "--data", scratch.path("data"), "--port", "0", "--verbose"])
    process.standardError = try .writing("/dev/full")
    let origin = try process.startListening()
    defer { process.terminate() }
    let client = Client()
    let worker = WorkerRegistration(name: "host", slots: 1, fingerprint: "x264")
    let welcome = try await client.send(
      ClientRequest(.post, "\(origin)/api/v1/workers", body: FarmCoding.encode(worker)))
    #expect(welcome.status == .created)
    #expect(try await client.send(ClientRequest(.get, "\(origin)/readyz")).status == .ok)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a killed coordinator keeps its chunks and running leases when it starts again`(
    security: FarmSecurity
  ) async throws {
    let scratch = try TemporaryDirectory()
    let access = try FarmAccess(security, data: scratch.path("data"))
    let clip = scratch.path("a.mp4")
    _ = try Tool.run(
      "ffmpeg",
      ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=12", "-y", clip])
    let first = try RunningCoordinator(data: scratch.path("data"), access.arguments)
    let job = try await submit(clip, to: first.url, by: access.submitter)
    let registration = WorkerRegistration(name: "host", slots: 2, fingerprint: "x264")
    let worker: WorkerWelcome = try await send(
      access.worker, .post, "\(first.url)/workers", body: FarmCoding.encode(registration))
    var leases: [Lease] = []
    for _ in 0..<4 {
      leases.append(
        try await send(
          access.worker, .post, "\(first.url)/workers/\(worker.id)/leases?wait=60", body: Data()))
    }
    // Without the first segment nothing is appended, so these chunks need not be real.
    leases.removeAll { $0.segment == 0 }
    #expect(try await deliver(leases[0], to: first.url, by: access.worker) == .ok)
    #expect(try await deliver(leases[2], to: first.url, by: access.worker) == .ok)
    first.kill()
    try FileManager.default.removeItem(atPath: path(ofChunkOf: leases[2], in: scratch))

    let second = try RunningCoordinator(data: scratch.path("data"), access.arguments)
    defer { second.kill() }
    // Immediately after the start, a worker that keeps rendering must not be told to stop.
    let early = try await access.worker.send(
      ClientRequest(
        .put, "\(second.url)/leases/\(leases[1].token)",
        headers: ["Content-Type": "application/json"],
        body: FarmCoding.encode(Heartbeat(framesRendered: 1))))
    #expect(early.status == .ok)
    let segments: [SegmentStatus] = try await send(
      access.submitter, .get, "\(second.url)/jobs/\(job.id)/segments")
    #expect(segments[leases[0].segment].state == .completed)
    #expect(FileManager.default.fileExists(atPath: path(ofChunkOf: leases[0], in: scratch)))
    #expect(segments[leases[1].segment].state == .leased)
    #expect(segments[leases[2].segment].state == .pending, "its chunk was lost")
    #expect(try await deliver(leases[1], to: second.url, by: access.worker) == .ok)
    let next: Lease = try await send(
      access.worker, .post, "\(second.url)/workers/\(worker.id)/leases?wait=60", body: Data())
    #expect(next.job == job.id)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a coordinator that is killed during a fetch starts the fetch over`(
    security: FarmSecurity
  ) async throws {
    let scratch = try TemporaryDirectory()
    let access = try FarmAccess(security, data: scratch.path("data"))
    let clip = scratch.path("a.mp4")
    _ = try Tool.run(
      "ffmpeg", ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2", "-y", clip])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: clip))
    let server = try MediaServer(bytes)
    let arguments =
      ["--asset-url", server.origin, "--allow-private-asset-addresses"] + access.arguments
    let first = try RunningCoordinator(data: scratch.path("data"), arguments)
    let project = #"{"version": 1, "sequence": [{"clip": "\#(server.origin)/stalled"}]}"#
    let job: JobStatus = try await send(
      access.submitter, .post, "\(first.url)/jobs",
      body: FarmCoding.encode(JobSubmission(name: "cut", project: project, assets: [:])))
    try await eventually("the fetch starts") { !server.requests.isEmpty }
    let status: JobStatus = try await send(
      access.submitter, .get, "\(first.url)/jobs/\(job.id)")
    #expect(status.state == .planning)
    first.kill()
    try server.release()

    let second = try RunningCoordinator(data: scratch.path("data"), arguments)
    defer { second.kill() }
    let worker: WorkerWelcome = try await send(
      access.worker, .post, "\(second.url)/workers",
      body: FarmCoding.encode(WorkerRegistration(name: "host", slots: 1, fingerprint: "x264")))
    let lease: Lease = try await send(
      access.worker, .post, "\(second.url)/workers/\(worker.id)/leases?wait=60", body: Data())
    #expect(lease.job == job.id)
    #expect(lease.assets.map(\.digest) == [Digest.of(bytes)])
    #expect(server.requests == ["/stalled", "/stalled"])
    let uploads = scratch.path("data/uploads")
    #expect(try FileManager.default.contentsOfDirectory(atPath: uploads).isEmpty)
    // The coordinator has the bytes now, and does not fetch them again.
    second.kill()
    let third = try RunningCoordinator(data: scratch.path("data"), arguments)
    defer { third.kill() }
    let again: HeartbeatAnswer = try await send(
      access.worker, .put, "\(third.url)/leases/\(lease.token)",
      headers: ["Content-Type": "application/json"],
      body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(!again.stop)
    #expect(server.requests.count == 2)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a coordinator that is suspended for longer than a lease keeps the lease`(
    security: FarmSecurity
  ) async throws {
    let scratch = try TemporaryDirectory()
    let access = try FarmAccess(security, data: scratch.path("data"))
    let clip = scratch.path("a.mp4")
    _ = try Tool.run(
      "ffmpeg",
      ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=25:duration=2", "-y", clip])
    let running = try RunningCoordinator(
      data: scratch.path("data"), access.arguments + ["--lease-seconds", "10"])
    defer { running.kill() }
    _ = try await submit(clip, to: running.url, by: access.submitter)
    let registration = WorkerRegistration(name: "host", slots: 1, fingerprint: "x264")
    let worker: WorkerWelcome = try await send(
      access.worker, .post, "\(running.url)/workers", body: FarmCoding.encode(registration))
    let lease: Lease = try await send(
      access.worker, .post, "\(running.url)/workers/\(worker.id)/leases?wait=60", body: Data())
    running.process.send(SIGSTOP)
    try await pause(
      for: .seconds(15), because: "a suspended process can be late only in real time")
    running.process.send(SIGCONT)
    // The coordinator may first close a connection that was idle for too long; workers then try again.
    let answer = try await eventually("the heartbeat is answered") {
      try? await send(
        access.worker, .put, "\(running.url)/leases/\(lease.token)",
        headers: ["Content-Type": "application/json"],
        body: FarmCoding.encode(Heartbeat(framesRendered: 1))) as HeartbeatAnswer
    } satisfies: {
      $0 != nil
    }
    #expect(answer?.stop == false)
  }

  @Test(.timeLimit(.minutes(15)), arguments: FarmSecurity.allCases)
  func `a coordinator keeps an uploaded asset after a kill, a stop and a restore`(
    security: FarmSecurity
  ) async throws {
    let scratch = try TemporaryDirectory()
    let (data, backup) = (scratch.path("data"), scratch.path("backup.sqlite"))
    let access = try FarmAccess(security, data: data)
    let bytes = Data("a clip".utf8)
    let asset = "/assets/\(Digest.of(bytes))"
    let first = try RunningCoordinator(data: data, access.arguments)
    let upload = try await access.submitter.send(
      ClientRequest(.put, first.url + asset, body: bytes))
    #expect(upload.status == .created)
    first.kill()
    let second = try RunningCoordinator(data: data, access.arguments)
    let there = try await access.submitter.send(ClientRequest(.head, second.url + asset))
    #expect(there.status == .ok)
    #expect(try Program.coordinator.run(["check", "--data", data, "--chunks"]).status == 0)
    #expect(try Program.coordinator.run(["backup", "--data", data, "--to", backup]).status == 0)
    second.process.terminate()
    second.process.wait()
    #expect(try Program.coordinator.run(["restore", "--data", data, "--from", backup]).status == 0)
    let third = try RunningCoordinator(data: data, access.arguments)
    defer { third.kill() }
    let still = try await access.submitter.send(ClientRequest(.head, third.url + asset))
    #expect(still.status == .ok)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a second coordinator on the same data directory is refused`() throws {
    let scratch = try TemporaryDirectory()
    let first = try RunningCoordinator(data: scratch.path("data"))
    defer { first.kill() }
    let outcome = try Program.coordinator.run(
      ["serve", "--data", scratch.path("data"), "--port", "0"])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("another coordinator runs on it"))
  }

  @Test(.timeLimit(.minutes(15)))
  func `a coordinator that is told to stop exits with code 0`() throws {
    let scratch = try TemporaryDirectory()
    let running = try RunningCoordinator(data: scratch.path("data"))
    running.process.terminate()
    #expect(running.process.wait() == .exited(0))
  }
}
