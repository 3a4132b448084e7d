import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Preparation
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// A submission that is sent again makes no second job.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct IdempotencyTests {
  private func body(_ farm: TestFarm, name: String = "cut") async throws -> Data {
    let asset = try await farm.upload(Data("a clip".utf8))
    return try FarmCoding.encode(
      JobSubmission(name: name, project: TestFarm.project, assets: ["a.mp4": asset]))
  }

  private func submit(
    _ farm: TestFarm, _ body: Data, key: String? = "one", digest: String? = nil
  ) async throws -> Response {
    var headers = Headers()
    headers["Idempotency-Key"] = key
    headers["Content-Digest"] = digest
    return try await farm.send(.post, "/jobs", headers: headers, body: body)
  }

  private func id(_ response: Response) async throws -> String {
    try await response.wire(as: JobStatus.self).id
  }

  @Test func `submissions with the same key and body are the same job`() async throws {
    let farm = try await TestFarm()
    let body = try await body(farm)
    let first = try await submit(farm, body)
    #expect(first.status == .created)
    let second = try await submit(farm, body)
    #expect(second.status == .ok)
    #expect(try await id(first) == id(second))
    #expect(second.headers["Location"] == first.headers["Location"])
    #expect(try await submit(farm, body, key: "two").status == .created)
    #expect(try await submit(farm, body, key: nil).status == .created)
    #expect(try await farm.get("/jobs", as: [JobStatus].self).count == 3)
  }

  @Test func `concurrent submissions with the same key are one job`() async throws {
    let farm = try await TestFarm()
    let body = try await body(farm)
    let ids = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<6 { group.addTask { try await id(submit(farm, body)) } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(ids.count == 1)
    #expect(try await farm.get("/jobs", as: [JobStatus].self).map(\.id) == Array(ids))
  }

  @Test func `a different body with the same key is refused`() async throws {
    let farm = try await TestFarm()
    #expect(try await submit(farm, body(farm)).status == .created)
    let other = try await submit(farm, body(farm, name: "other"))
    #expect(other.status == .unprocessableContent)
    #expect(try await other.problem() == .keyReused)
    #expect(try await farm.get("/jobs", as: [JobStatus].self).count == 1)
  }

  /// Submits a job, and stops the coordinator.
  private func submit(
    in directory: TemporaryDirectory, _ security: FarmSecurity
  ) async throws -> (body: Data, job: String) {
    let farm = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    let body = try await body(farm)
    let job = try await id(submit(farm, body))
    await farm.coordinator.stop()
    return (body, job)
  }

  @Test(arguments: FarmSecurity.allCases)
  func `a key is known after a restart`(
    security: FarmSecurity
  ) async throws {
    let directory = try TemporaryDirectory()
    let (body, job) = try await submit(in: directory, security)
    try await untilUnlocked(directory.path("data"))
    let second = try await TestFarm(in: directory, ledger: .onDisk, security: security)
    let again = try await submit(second, body)
    #expect(again.status == .ok)
    #expect(try await id(again) == job)
    await second.coordinator.stop()
  }

  @Test func `a known key works even at the submitter's limit of jobs`() async throws {
    var limits = Limits()
    limits.jobsPerSubmitter = 1
    let farm = try await TestFarm(limits: limits)
    let body = try await body(farm)
    #expect(try await submit(farm, body).status == .created)
    #expect(try await submit(farm, body).status == .ok)
    #expect(try await submit(farm, body, key: "two").status == .tooManyRequests)
  }

  /// The number of submissions that have arrived and have no response yet.
  private func waiting(on farm: TestFarm) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: farm.directory.path("data/uploads"))
      .count { $0.hasPrefix("submission-") && !$0.hasSuffix("-read") }
  }

  /// Holds the reading of submissions until it is opened.
  private final class Door: Sendable {
    private let isOpen = Mutex(false)

    func pass() async throws {
      try await eventually("the door is opened") { isOpen.withLock { $0 } }
    }

    func open() { isOpen.withLock { $0 = true } }
  }

  @Test func `a submission that is sent again while it is being read is not read twice`()
    async throws
  {
    let counts = Mutex<[Digest: Int]>([:])
    let door = Door()
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, _ in
        counts.withLock { $0[request.digest, default: 0] += 1 }
        try await door.pass()
        return try SubmissionReading.read(request)
      }))
    let body = try await body(farm)
    let other = try await self.body(farm, name: "other")
    async let first = submit(farm, body)
    async let second = submit(farm, body)
    try await eventually("both submissions have arrived") { try waiting(on: farm) == 2 }
    async let third = submit(farm, other, key: "two")
    try await eventually("a submission that arrived later is being read") {
      counts.withLock { $0[.of(other)] } == 1
    }
    door.open()
    let responses = try await [first, second]
    #expect(try await id(responses[0]) == id(responses[1]))
    #expect(responses.allSatisfy { [.created, .ok].contains($0.status) })
    #expect(try await third.status == .created)
    #expect(counts.withLock { $0[.of(body)] } == 1)
  }

  @Test func `submissions that are read concurrently do not exceed the limit of jobs`() async throws
  {
    var limits = Limits()
    limits.jobsPerSubmitter = 1
    let count = Mutex(0)
    let door = Door()
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, _ in
        count.withLock { $0 += 1 }
        try await door.pass()
        return try SubmissionReading.read(request)
      }), limits: limits)
    let body = try await body(farm)
    async let first = submit(farm, body, key: nil)
    async let second = submit(farm, body, key: nil)
    try await eventually("both submissions are being read") { count.withLock { $0 } == 2 }
    door.open()
    let statuses = try await [first.status, second.status]
    #expect(Set(statuses) == [.created, .tooManyRequests])
  }

  private func submit(
    _ holder: TokenHolder, _ body: Data, key: String
  ) async throws -> Response {
    try await holder.send(.post, "/jobs", headers: ["Idempotency-Key": key], body: body)
  }

  @Test
  func `a submitter's concurrent submissions with keys are limited to its limit of jobs`()
    async throws
  {
    var limits = Limits()
    limits.jobsPerSubmitter = 2
    let count = Mutex(0)
    let door = Door()
    let farm = try await TestFarm(
      media: FakeMedia(reading: { request, _ in
        count.withLock { $0 += 1 }
        try await door.pass()
        return try SubmissionReading.read(request)
      }), access: .tokens, limits: limits)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let bob = try TokenHolder(.submitter, "bob", of: farm)
    let bytes = Data("a clip".utf8)
    for holder in [ada, bob] { _ = try await holder.upload(bytes) }
    let asset = AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset]))
    async let first = submit(ada, body, key: "one")
    async let second = submit(ada, body, key: "two")
    try await eventually("two submissions are being read") { count.withLock { $0 } >= 2 }
    let refused = try await submit(ada, body, key: "three")
    #expect(refused.status == .tooManyRequests)
    #expect(refused.headers["Retry-After"] != nil)
    #expect(try await refused.problem() == .limitReached)
    // Another submitter has its own places.
    async let other = submit(bob, body, key: "one")
    try await eventually("three submissions are being read") { count.withLock { $0 } >= 3 }
    door.open()
    let responses = try await [first, second, other]
    #expect(responses.map(\.status) == [.created, .created, .created])
    // The places are free again.
    let job = try await id(responses[0])
    #expect(try await ada.send(.post, "/jobs/\(job)/cancel").status == .ok)
    #expect(try await submit(ada, body, key: "three").status == .created)
  }

  @Test func `each submitter has its own keys`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holders = [
      try TokenHolder(.submitter, "ada", of: farm), try TokenHolder(.submitter, "bob", of: farm),
    ]
    let bytes = Data("a clip".utf8)
    let asset = AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
    let body = try FarmCoding.encode(
      JobSubmission(name: "cut", project: TestFarm.project, assets: ["a.mp4": asset]))
    var ids: Set<String> = []
    for holder in holders {
      _ = try await holder.upload(bytes)
      let response = try await holder.send(
        .post, "/jobs", headers: ["Idempotency-Key": "one"], body: body)
      #expect(response.status == .created)
      ids.insert(try await id(response))
    }
    #expect(ids.count == 2)
  }

  @Test(arguments: ["", "two words", "ü", String(repeating: "a", count: 129)])
  func `an invalid key is refused`(_ key: String) async throws {
    let farm = try await TestFarm()
    let response = try await submit(farm, body(farm), key: key)
    #expect(response.status == .badRequest)
    #expect(try await response.problem() == .malformedRequest)
  }

  @Test func `a body that changed in transit is refused`() async throws {
    let farm = try await TestFarm()
    let body = try await body(farm)
    var changed = body
    // Still a valid project: a dissolve of 3 seconds instead of 1.
    let place = try #require(changed.range(of: Data(#"\"duration\": 1"#.utf8)))
    changed[place.upperBound - 1] ^= 2
    let response = try await submit(farm, changed, digest: ContentDigest.value(for: body))
    #expect(response.status == .badRequest)
    #expect(try await response.problem() == .damagedRequest)
    #expect(try await farm.get("/jobs", as: [JobStatus].self).isEmpty)
    let whole = try await submit(farm, body, digest: ContentDigest.value(for: body))
    #expect(whole.status == .created)
    // Without the digest, the change goes unnoticed.
    #expect(try await submit(farm, changed, key: "two").status == .created)
  }
}
