import Crypto
import FarmAPI
import Foundation
import HTTP
import Planning
import Scheduling
import Support
import Testing
import sheaf_coordinator

/// An in-process coordinator, whose ledger is in memory by default. The test plays the workers.
package struct TestFarm {
  package let directory: TemporaryDirectory
  package let coordinator: Coordinator
  package let media: FakeMedia
  /// The farm's turns between two slices of long work.
  package let turns = InterposedTurns()
  /// The tokens of requests, if the farm requires tokens.
  package let tokens: FarmTokens?

  package init(
    media: FakeMedia = FakeMedia(), in directory: TemporaryDirectory? = nil,
    ledger: Coordinator.LedgerLocation = .inMemory, objects: Coordinator.ObjectLocation = .onDisk,
    storage: StorageSettings = StorageSettings(), mediaRoots: [String] = [],
    sources: AssetSources = AssetSources(), recordingSources: [String] = [],
    access policy: Access.Policy = .loopback, limits: Limits = Limits(),
    settings: SchedulerSettings? = nil, tokens: FarmTokens? = nil,
    security: FarmSecurity = .open, auditShare: Double = 0,
    notifications: NotificationSettings = NotificationSettings(),
    calendar: @escaping @Sendable () -> Date = { Date() },
    scrubClock: Scrubber.Clock = .system, tries: RunTries = RunTries(),
    damageSearchDelay: Duration = .seconds(3600), log: Log = Log(.quiet) { _ in }
  ) async throws {
    let directory = try directory ?? TemporaryDirectory()
    self.directory = directory
    self.media = media
    var allowed = AllowedRecordingSources()
    allowed.rules = recordingSources.compactMap { AllowedRecordingSources.Rule($0) }
    let tokens =
      try tokens ?? (security == .secured ? FarmTokens(data: directory.path("data")) : nil)
    self.tokens = tokens
    coordinator = try Coordinator(
      data: directory.path("data"), ledger: ledger, objects: objects,
      settings: settings ?? Self.patientSettings(),
      storage: storage, mediaRoots: mediaRoots, sources: sources, recordingSources: allowed,
      tools: media,
      access: Access(
        tokens == nil ? policy : .tokens, data: directory.path("data"),
        log: Log(.quiet) { _ in }),
      limits: limits, auditShare: auditShare,
      damageSearchDelay: damageSearchDelay, notifications: notifications, calendar: calendar,
      giveTurn: { [turns] in await turns.take() }, scrubClock: scrubClock, tries: tries, log: log)
    try await coordinator.start()
  }

  /// Settings with which no pause of a busy machine ends a lease or copies a segment.
  private static func patientSettings() throws -> SchedulerSettings {
    try SchedulerSettings(
      leaseDuration: .seconds(600), gracePeriod: .seconds(600), copyAfter: .seconds(600),
      stuckAfter: .seconds(600))
  }

  package func send(
    _ method: HTTP.Method, _ path: String, headers: Headers = [:], body: Data = Data()
  ) async throws -> Response {
    try await respond(to: method, "/api/v1" + path, headers: headers, body: body)
  }

  /// Sends a request to any route, with the token for the route if there are tokens. The response must be one that
  /// `/openapi.json` describes.
  package func respond(
    to method: HTTP.Method, _ path: String, headers: Headers = [:], body: Data = Data(),
    from peer: String = ""
  ) async throws -> Response {
    var headers = headers
    if let tokens, headers["Authorization"] == nil {
      headers["Authorization"] = "Bearer \(tokens.token(for: method, path))"
    }
    let router = coordinator.router
    let response = await router.respond(
      to: try Request(method, path, headers: headers, body: body, peer: peer))
    try await DescribedAPI.check(response, to: method, path, of: router)
    return response
  }

  package func get<Value: Decodable>(_ path: String, as type: Value.Type = Value.self) async throws
    -> Value
  {
    try await send(.get, path).wire()
  }

  package func post(_ path: String, _ value: some Encodable) async throws -> Response {
    try await send(.post, path, body: FarmCoding.encode(value))
  }

  /// Uploads an asset in one request.
  package func upload(_ bytes: Data) async throws -> AssetReference {
    let digest = Digest.of(bytes)
    let response = try await send(.put, "/assets/\(digest)", body: bytes)
    #expect(response.status == .created)
    return AssetReference(digest: digest, byteCount: Int64(bytes.count))
  }

  /// Submits a project. By default, it has two clips and a dissolve, and all of it is rendered anew.
  package func submit(
    name: String = "cut", priority: Int? = nil, project: String = TestFarm.project,
    rerenders: Bool = true
  ) async throws -> JobStatus {
    let asset = try await upload(Data("a clip".utf8))
    let submission = JobSubmission(
      name: name, project: project, assets: ["a.mp4": asset], priority: priority,
      rerenders: rerenders)
    let response = try await post("/jobs", submission)
    #expect(response.status == .created)
    return try await response.wire()
  }

  /// A project with nine segments, all of them different.
  package static let project = """
    {"version": 1, "sequence": [
      {"clip": "a.mp4", "out": 6}, {"transition": "dissolve", "duration": 1},
      {"clip": "a.mp4", "in": 4}],
     "export": {"preset": "highestQuality"}}
    """

  package func register(
    name: String = "host", fingerprint: String = "x264", memory: Int? = nil
  ) async throws -> String {
    let response = try await post(
      "/workers",
      WorkerRegistration(name: name, slots: 1, fingerprint: fingerprint, memory: memory))
    #expect(response.status == .created)
    return try await response.wire(as: WorkerWelcome.self).id
  }

  /// Waits for a lease, which must come within a minute.
  package func lease(_ worker: String) async throws -> Lease {
    let response = try await send(.post, "/workers/\(worker)/leases?wait=60")
    try #require(response.status == .ok)
    return try await response.wire()
  }

  /// The fake chunk of a lease's segment.
  package static func chunk(of lease: Lease) -> Data { Data("<\(lease.segment)>".utf8) }

  /// Delivers the fake chunk of a lease's segment.
  ///
  /// - Parameters:
  ///   - concealments: the damage that the chunk conceals.
  ///   - damage: changes the manifest's headers after they are made.
  ///   - damageList: changes the list of concealments after the manifest is made.
  package func deliver(
    _ lease: Lease, concealing concealments: [Concealment] = [],
    _ change: (inout ChunkManifest) -> Void = { _ in },
    damage: (inout Headers) -> Void = { _ in }, damageList: (inout Data) -> Void = { _ in }
  ) async throws -> Response {
    let bytes = Self.chunk(of: lease)
    var list = Data()
    var manifest = ChunkManifest(
      frameCount: lease.description.frameCount, byteCount: Int64(bytes.count),
      sha256: Digest.of(bytes), parameterSets: Data([0, 0, 0, 1, 0x67, 1, 0, 0, 1, 0x68, 1]))
    if !concealments.isEmpty {
      list = try ConcealmentList(concealments).encoded()
      manifest.concealments = ConcealmentList.Stamp(of: list)
    }
    change(&manifest)
    var headers = Headers(try manifest.headers())
    damage(&headers)
    damageList(&list)
    return try await send(
      .put, "/leases/\(lease.token)/chunk", headers: headers, body: bytes + list)
  }

  /// Sends a heartbeat, and returns whether the lease's worker is told to stop.
  package func isStopped(_ lease: Lease) async throws -> Bool {
    let beat = try await send(
      .put, "/leases/\(lease.token)", body: FarmCoding.encode(Heartbeat(framesRendered: 1)))
    return try await beat.wire(as: HeartbeatAnswer.self).stop
  }

  /// Renders and delivers a job's pending segments until it is in a state.
  ///
  /// - Returns: the status with that state.
  @discardableResult
  package func finish(
    _ job: JobStatus, by worker: String, until isReached: (JobState) -> Bool = { $0.isFinal }
  ) async throws -> JobStatus {
    try await eventually("job \(job.name) reaches the expected state") {
      let status: JobStatus = try await get("/jobs/\(job.id)")
      if !isReached(status.state), status.segments.pending > 0 {
        #expect(try await deliver(lease(worker)).status == .ok)
      }
      return status
    } satisfies: {
      isReached($0.state)
    }
  }

  /// Waits until a job is in a state.
  package func wait(for job: JobStatus, until state: JobState) async throws {
    try await eventually("job \(job.name) is \(state)") {
      try await get("/jobs/\(job.id)", as: JobStatus.self).state
    } satisfies: {
      $0 == state
    }
  }

  /// The value of a metric; `nil` if it is not listed.
  package func metric(_ name: String) async throws -> Int? {
    let response = try await respond(to: .get, "/metrics")
    let lines = String(decoding: try await response.content(), as: UTF8.self).split(separator: "\n")
    return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.dropFirst(name.count + 1)) }
  }

  /// Follows a job's events until it ends, and returns its last status.
  package func end(of job: JobStatus) async throws -> JobStatus {
    let events = try await send(.get, "/jobs/\(job.id)/events").content()
    let lines = String(decoding: events, as: UTF8.self).split(separator: "\n")
    let last = try #require(lines.last { $0.hasPrefix("data:") })
    return try FarmCoding.decode(JobStatus.self, from: Data(last.dropFirst(5).utf8))
  }
}

extension Response {
  package func wire<Value: Decodable>(as type: Value.Type = Value.self) async throws -> Value {
    try FarmCoding.decode(type, from: await content())
  }

  /// The type of the problem in the response.
  package func problem() async throws -> ProblemType {
    let document = try JSONDecoder().decode(ProblemDocument.self, from: await content())
    return ProblemType(rawValue: document.type)
  }
}

/// Waits until a coordinator in this process unlocks its data directory, which happens when its last task ends.
package func untilUnlocked(_ data: String) async throws {
  let lock = open("\(data)/lock", O_RDWR | O_CLOEXEC)
  defer { close(lock) }
  try await eventually("the coordinator unlocks \(data)") {
    flock(lock, LOCK_EX | LOCK_NB) == 0
  }
}

extension TestFarm {
  /// A job's segments, once it has been planned.
  package func segments(of job: JobStatus) async throws -> [SegmentStatus] {
    try await eventually("the job is planned") {
      try await get("/jobs/\(job.id)/segments", as: [SegmentStatus].self)
    } satisfies: {
      !$0.isEmpty
    }
  }
}
