import Arguments
import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Testing
import sheaf_coordinator

/// Requests that a coordinator refuses because they exceed a limit.
@Suite(.mayBlock) struct CoordinatorLimitTests {
  @Test(.timeLimit(.minutes(15)))
  func `limits lowered at a restart do not fail jobs that were accepted before`() async throws {
    let server = try MediaServer(Data("a clip that is fetched".utf8))
    var sources = AssetSources()
    sources.origins = [try #require(AssetOrigin(server.origin))]
    sources.allowsPrivateAddresses = true
    let scratch = try TemporaryDirectory()
    let tokens = try FarmTokens(data: scratch.path("data"))
    let project = #"{"version": 1, "sequence": [{"clip": "\#(server.origin)/stalled"}]}"#
    /// Submits two jobs, and stops the coordinator before the second one is planned.
    func begin() async throws -> (jobs: [JobStatus], lease: Lease) {
      let farm = try await TestFarm(
        in: scratch, ledger: .onDisk, sources: sources, tokens: tokens)
      let rendering = try await farm.submit()
      let lease = try await farm.lease(farm.register())
      let planning: JobStatus = try await farm.post(
        "/jobs", JobSubmission(name: "cut", project: project, assets: [:])
      ).wire()
      try await eventually("the fetch starts") { !server.requests.isEmpty }
      await farm.coordinator.stop()
      return ([rendering, planning], lease)
    }
    let (jobs, lease) = try await begin()
    try await untilUnlocked(scratch.path("data"))
    try server.release()

    var limits = Limits()
    limits.segmentsPerSubmitter = 1
    limits.segments = 1
    limits.assetsPerSubmitter = 1
    limits.assetBytesPerSubmitter = 1
    limits.jobsPerSubmitter = 1
    limits.jsonDepth = 8
    limits.assetBytes = 8
    limits.chunkBytes = 1
    limits.projectBytes = 8
    let second = try await TestFarm(
      in: scratch, ledger: .onDisk, sources: sources, limits: limits, tokens: tokens)
    #expect(try await second.deliver(lease).status == .ok)
    let worker = try await second.register()
    for job in jobs {
      let status = try await second.finish(job, by: worker)
      #expect(status.state == .completed, "\(status.failure?.message ?? "")")
    }
    // New submissions are subject to the lower limits.
    let more = try await second.post(
      "/jobs", JobSubmission(name: "cut", project: project, assets: [:]))
    #expect(more.status == .contentTooLarge)
    await second.coordinator.stop()
  }

  @Test(arguments: [false, true])
  func `the request heads of all connections take at most 256 MiB`(isLocal: Bool) {
    let limits = Limits().server(isLocal: isLocal)
    #expect(limits.connections * limits.connectionBytes <= 256 << 20)
  }

  @Test func `a JSON body over the limit is refused with 413`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.bodyBytes = 4096 })
    let body = Data(count: 4097)
    #expect(try await farm.send(.post, "/workers", body: body).status == .contentTooLarge)
  }

  @Test func `a body of more than 4 KiB from a client without a token is refused with 413`()
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let signIn = "{\"token\": \"sheaf_wrong\"}"
    func status(_ count: Int) async throws -> Status {
      let blanks = String(repeating: " ", count: count - signIn.utf8.count)
      return try await farm.respond(to: .post, "/session", body: Data((signIn + blanks).utf8))
        .status
    }
    #expect(try await status(4096) == .unauthorized)
    #expect(try await status(4097) == .contentTooLarge)
  }

  @Test func `a body of more than 1 KiB that its route does not use is refused with 413`()
    async throws
  {
    let farm = try await TestFarm()
    #expect(try await farm.respond(to: .get, "/session", body: Data(count: 1024)).status == .ok)
    for (method, path) in [(HTTP.Method.get, "/session"), (.post, "/api/v1/jobs/x/cancel")] {
      let refused = try await farm.respond(to: method, path, body: Data(count: 1025))
      #expect(refused.status == .contentTooLarge)
    }
    // Some clients send this with every request.
    let body = Data("{}".utf8)
    let job = try await farm.submit()
    #expect(try await farm.send(.post, "/jobs/\(job.id)/cancel", body: body).status == .ok)
  }

  @Test func `at most 800 bytes of a worker's name are kept`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.bodyBytes = 1 << 20 })
    let name = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(name.count == 1)
    _ = try await farm.register(name: name)
    _ = try await farm.register(name: String(repeating: "n", count: 300))
    let names = try await farm.get("/workers", as: [WorkerStatus].self).map(\.name)
    #expect(names.count == 2)
    #expect(names.allSatisfy { $0.utf8.count <= 800 })
    #expect(names.contains { $0.unicodeScalars.first == "a" })
    #expect(names.contains(String(repeating: "n", count: 200)))
  }

  @Test func `at most 8 KiB of a worker's failure are kept`() async throws {
    let farm = try await TestFarm()
    let job = try await farm.submit()
    let lease = try await farm.lease(farm.register())
    let report = FailureReport(
      code: FailureCode(rawValue: String(repeating: "c", count: 1000)),
      // The text that replaces an address is longer than the address.
      message: String(repeating: "10.0.0.1 ", count: 5000), isPermanent: true)
    #expect(try await farm.post("/leases/\(lease.token)/failure", report).status == .noContent)
    #expect(try await farm.end(of: job).state == .failed)
    let failure = try #require(try await farm.get("/jobs/\(job.id)", as: JobStatus.self).failure)
    #expect(failure.code.rawValue.utf8.count == 100)
    #expect(failure.message.count <= 4000)
    #expect(failure.message.utf8.count <= FailureReport.longestMessage)
    #expect(failure.message.contains("a private address a private address"))
  }

  @Test(arguments: ["/workers", "/jobs"])
  func `a body that is nested too deeply is refused with 400`(path: String) async throws {
    let farm = try await TestFarm(limits: Limits { $0.jsonDepth = 16 })
    let body = Data(
      (String(repeating: "[", count: 17) + String(repeating: "]", count: 17)).utf8)
    let response = try await farm.send(.post, path, body: body)
    #expect(response.status == .badRequest)
    let text = String(decoding: try await response.content(), as: UTF8.self)
    #expect(text.contains("more than 16 levels deep"))
  }

  @Test func `brackets inside strings do not count as nesting`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.jsonDepth = 16 })
    let registration = WorkerRegistration(
      name: "\"" + String(repeating: "[{", count: 40), slots: 1, fingerprint: "x264")
    #expect(try await farm.post("/workers", registration).status == .created)
  }

  @Test func `a project over the limit is refused with 413`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.projectBytes = 2000 })
    let submission = JobSubmission(
      name: "cut", project: String(repeating: " ", count: 2001), assets: [:])
    let response = try await farm.post("/jobs", submission)
    #expect(response.status == .contentTooLarge)
    #expect(try await response.problem() == .tooLarge)
    let larger = JobSubmission(
      name: "cut", project: String(repeating: " ", count: 2_000_000), assets: [:])
    #expect(try await farm.post("/jobs", larger).problem() == .tooLarge)
  }

  @Test func `an asset over the limit is refused with 413`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.assetBytes = 1024 })
    let bytes = Data(count: 1025)
    let response = try await farm.send(.put, "/assets/\(Digest.of(bytes))", body: bytes)
    #expect(response.status == .contentTooLarge)
    #expect(try await response.problem() == .tooLarge)
  }

  @Test func `a submission over the limit of unfinished jobs is refused with 429`() async throws {
    let farm = try await TestFarm(
      access: .tokens, limits: Limits { $0.jobsPerSubmitter = 2 })
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let bytes = Data("a clip".utf8)
    let asset = AssetReference(digest: .of(bytes), byteCount: 6)
    for holder in [ada, bob] { _ = try await holder.upload(bytes) }
    let first: JobStatus = try await ada.submit(asset).wire()
    #expect(try await ada.submit(asset).status == .created)
    let refused = try await ada.submit(asset)
    #expect(refused.status == .tooManyRequests)
    #expect(try await refused.problem() == .limitReached)
    // Another submitter has its own limit, and a place that becomes free can be used.
    #expect(try await bob.submit(asset).status == .created)
    _ = try await ada.send(.post, "/jobs/\(first.id)/cancel")
    #expect(try await ada.submit(asset).status == .created)
    let retried = try await ada.send(.post, "/jobs/\(first.id)/retry")
    #expect(retried.status == .tooManyRequests)
  }

  @Test func `a project with too many files is refused with 413`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.assetsPerSubmitter = 2 })
    let clips = (0..<3).map { "{\"clip\": \"\($0).mp4\"}" }.joined(separator: ", ")
    let submission = JobSubmission(
      name: "cut", project: "{\"version\": 1, \"sequence\": [\(clips)]}", assets: [:])
    let refused = try await farm.post("/jobs", submission)
    #expect(refused.status == .contentTooLarge)
    #expect(try await refused.problem() == .limitReached)
  }

  @Test func `a registration over the limit of workers is refused with 429`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.workers = 1 })
    _ = try await farm.register()
    let registration = WorkerRegistration(name: "other", slots: 1, fingerprint: "x264")
    let refused = try await farm.post("/workers", registration)
    #expect(refused.status == .tooManyRequests)
    #expect(try await refused.problem() == .limitReached)
  }

  @Test(arguments: ["9223372036854775807", "99999999999999999999"])
  func `an impossible Content-Length is refused with 413`(length: String) async throws {
    let farm = try await TestFarm()
    let path = "/assets/\(Digest.of(Data("x".utf8)))"
    let refused = try await farm.send(
      .put, path, headers: ["Upload-Offset": "1", "Content-Length": length])
    #expect(refused.status == .contentTooLarge)
    #expect(try await refused.problem() == .tooLarge)
  }

  @Test func `an event stream over a client's limit is refused with 429`() async throws {
    let farm = try await TestFarm(
      access: .tokens,
      limits: Limits {
        $0.eventStreams = 3
        $0.eventStreamsPerClient = 2
      })
    let eve = try TokenHolder(.observer, "eve", of: farm)
    let ada = try TokenHolder(.observer, "ada", of: farm)
    var open: [Response] = []
    for _ in 0..<2 { open.append(try await eve.send(.get, "/events")) }
    let refused = try await eve.send(.get, "/events")
    #expect(refused.status == .tooManyRequests)
    #expect(try await refused.problem() == .limitReached)
    open.append(try await ada.send(.get, "/events"))
    #expect(try await ada.send(.get, "/events").status == .serviceUnavailable)
    withExtendedLifetime(open) {}
  }

  @Test func `a chunk over the limit is refused with 413`() async throws {
    let farm = try await TestFarm(limits: Limits { $0.chunkBytes = 3 })
    _ = try await farm.submit()
    let worker = try await farm.register()
    let larger = try await farm.deliver(farm.lease(worker)) { $0.byteCount = 4 }
    #expect(larger.status == .contentTooLarge)
    #expect(try await larger.problem() == .tooLarge)
    #expect(try await farm.deliver(farm.lease(worker)).status == .ok, "3 bytes are allowed")
  }

  @Test func `a wait for a lease over a client's limit is refused with 429`() async throws {
    let refused = try await secondWait(Limits { $0.longPollsPerClient = 1 })
    #expect(refused.status == .tooManyRequests)
    #expect(try await refused.problem() == .limitReached)
  }

  @Test func `a wait for a lease over the limit of all clients is refused with 503`() async throws {
    let refused = try await secondWait(Limits { $0.longPolls = 1 })
    #expect(refused.status == .serviceUnavailable)
    #expect(try await refused.problem() == .limitReached)
  }

  /// The response to a request for a lease while another one waits.
  private func secondWait(_ limits: Limits) async throws -> Response {
    let farm = try await TestFarm(limits: limits)
    let worker = try await farm.register()
    let wait = Task { try await farm.send(.post, "/workers/\(worker)/leases?wait=60") }
    try await eventually("the first request waits") {
      let page = await farm.coordinator.router.respond(to: try Request(.get, "/metrics"))
      return String(decoding: try await page.content(), as: UTF8.self)
    } satisfies: {
      $0.contains("sheaf_waiting_requests 1\n")
    }
    let response = try await farm.send(.post, "/workers/\(worker)/leases?wait=0")
    wait.cancel()
    _ = await wait.result
    return response
  }

  @Test
  func `a submitter that has used up its planning seconds gets 429`() async throws {
    let scratch = try TemporaryDirectory()
    let quota = PlanningQuota(seconds: 1)
    let children = MediaChildren(
      limit: 1, executable: Program.mediaChildren, quota: quota)
    let farm = try await TestFarm(
      media: FakeMedia(reading: { try await children.read($0, for: $1) }), in: scratch,
      tokens: FarmTokens(data: scratch.path("data")))
    let project = "{\"version\": 1, \"sequence\": [{\"clip\": \"a.mp4\"}]}"
    let submission = JobSubmission(name: "cut", project: project, assets: [:])
    // The process reads the project, but its asset is missing.
    #expect(try await farm.post("/jobs", submission).status == .unprocessableContent)
    quota.charge(.seconds(1), to: "anna")
    let refused = try await farm.post("/jobs", submission)
    #expect(refused.status == .tooManyRequests)
    #expect(refused.headers["Retry-After"] != nil)
    #expect(try await refused.problem() == .limitReached)
  }

  @Test func `every limit has an option, and the help lists it`() throws {
    let help = try Program.coordinator.run(["serve", "--help"]).standardOutput
    let options = help.split(separator: " ").filter { $0.hasPrefix("--max-") }
    #expect(Set(options).count == 32)
    for option in Set(options) {
      let arguments = ["--data", "d", String(option)]
      let fitting =
        switch option {
        case "--max-json-depth", "--max-assemblies": "100"
        case "--max-planning-memory": "1000000000"
        default: "20000"
        }
      #expect(throws: UsageError.self) { try ServeConfiguration(arguments + ["0"]) }
      _ = try ServeConfiguration(arguments + [fitting])
    }
  }
}
