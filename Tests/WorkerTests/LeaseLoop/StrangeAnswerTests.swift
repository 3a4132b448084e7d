import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_worker

/// A worker continues when the coordinator is back, whatever has answered in its place.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct StrangeAnswerTests {
  /// A kind of call that a worker makes.
  enum Call: CaseIterable, Sendable {
    case registration, longPoll, heartbeat, chunk, failure, giveBack

    init?(_ request: ScriptedRequest) {
      switch (request.method, request.path.split(separator: "/").last ?? "") {
      case ("POST", "workers"): self = .registration
      case ("POST", "failure"): self = .failure
      case ("POST", _): self = .longPoll
      case ("PUT", "chunk"): self = .chunk
      case ("PUT", _): self = .heartbeat
      case ("DELETE", _): self = .giveBack
      default: return nil
      }
    }
  }

  /// Responses that are not a coordinator's, or that report a temporary problem.
  private static let faults: [FaultyProxy.Fault] = [
    .answer(401), .answer(403), .answer(404), .answer(405), .answer(413), .answer(500),
    .answer(502), .answer(302, "text/html", "", "Location: http://127.0.0.1:1/login"),
    .answer(200), .answer(200, "application/json", "{"),
    .answer(200, "application/json", #"{"nonsense": [1]}"#), .answer("SSH-2.0-OpenSSH_9.2\r\n"),
    .problem(401, "/problems/unauthorized"), .problem(403, "/problems/forbidden"),
    .problem(429, "/problems/limit-reached"), .problem(503, "/problems/unavailable"),
    .problem(404, "about:blank"), .swallow,
  ]

  private let coordinator: FakeCoordinator
  private let folder: TemporaryDirectory

  init() throws {
    coordinator = try FakeCoordinator()
    folder = try TemporaryDirectory()
  }

  private func loop(
    at origin: String, with credentials: Credentials = Credentials(),
    patience: Duration = .seconds(900),
    slots: Int = 1, _ renderer: PretendedRenderer = PretendedRenderer(),
    log: Log = Log(.quiet) { _ in }
  ) -> LeaseLoop {
    LeaseLoop(
      registration: WorkerRegistration(name: "test", slots: slots, fingerprint: "f"),
      connection: CoordinatorConnection(
        client: Client(to: ServerAddresses(origin), credentials: credentials),
        refusals: TokenRefusals(patience: patience)),
      renderer: renderer, spoolDirectory: folder.path,
      pauses: Pauses(
        backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(4)),
        stopPatience: .milliseconds(20)),
      log: log)
  }

  /// A proxy that applies faults to the first calls of a kind.
  private func proxy(
    _ call: Call, _ fault: FaultyProxy.Fault, times: Int
  ) throws -> FaultyProxy {
    let left = Mutex(times)
    return try FaultyProxy(to: coordinator.port) { request in
      guard Call(request) == call else { return nil }
      return left.withLock { left in
        left -= 1
        return left >= 0 ? fault : nil
      }
    }
  }

  /// Every call with every fault.
  private static let strangeCalls = Call.allCases.flatMap { call in faults.map { (call, $0) } }

  @Test(arguments: Thoroughness.sample(strangeCalls, every: 5))
  func `a worker continues after any response to any call`(
    _ call: Call, _ fault: FaultyProxy.Fault
  ) async throws {
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    // A heartbeat after the faults lets the first segment continue.
    let beats = Mutex(0)
    coordinator.change {
      $0.heartbeat = { _ in
        beats.withLock { $0 += 1 }
        return HeartbeatAnswer(stop: false)
      }
    }
    let renderer = PretendedRenderer { lease, progress in
      switch call {
      case .heartbeat where lease.token == "one":
        try blockUntil("a heartbeat is answered") {
          if progress.isStopped { throw RenderStopped() }
          return beats.withLock { $0 } > 0
        }
      case .failure where lease.token == "one":
        throw PretendedRenderer.Fault(
          report: FailureReport(code: "broken", message: "it broke", isPermanent: false))
      case .giveBack: try PretendedRenderer.endless.work(lease, progress)
      default: break
      }
    }
    let proxy = try proxy(call, fault, times: 2)
    let loop = loop(at: proxy.origin, renderer)
    let work = Task { try await loop.run() }
    let expected: FakeCoordinator.Call? =
      switch call {
      case .giveBack: await coordinator.next { if case .beat = $0 { true } else { false } }
      case .failure: await coordinator.next { if case .failed = $0 { true } else { false } }
      default: await coordinator.next { if case .delivered("one", _) = $0 { true } else { false } }
      }
    #expect(expected != nil)
    work.cancel()
    try await work.value
    if call == .giveBack {
      #expect(await coordinator.next { if case .givenBack = $0 { true } else { false } } != nil)
    }
    #expect(proxy.requests.count { Call($0) == call } >= 3)
    await coordinator.shutdown()
  }

  @Test func `a refusal and the recovery from it are each logged once`() async throws {
    let proxy = try proxy(.registration, .answer(502), times: 50)
    let lines = Mutex<[String]>([])
    let loop = loop(
      at: proxy.origin, log: Log(.normal) { line in lines.withLock { $0.append(line) } })
    let work = Task { try await loop.run() }
    _ = await coordinator.next { if case .asked = $0 { true } else { false } }
    work.cancel()
    try await work.value
    let logged = lines.withLock { $0 }
    #expect(logged.count { $0.contains(" msg=waiting for=register ") } == 1, "\(logged)")
    #expect(logged.count { $0.contains(" msg=recovered for=register ") } == 1, "\(logged)")
    await coordinator.shutdown()
  }

  @Test(arguments: [(401, "/problems/unauthorized"), (403, "/problems/forbidden")])
  func `a token that the coordinator keeps refusing ends the worker`(
    _ status: Int, _ type: String
  ) async throws {
    let proxy = try proxy(.registration, .problem(status, type), times: .max)
    let loop = loop(at: proxy.origin, patience: .milliseconds(100))
    let error = await #expect(throws: CoordinatorError.self) { try await loop.run() }
    guard case .tokenRevoked = error else {
      Issue.record("the worker ended because of \(String(describing: error))")
      return
    }
    #expect(proxy.requests.count > 1)
  }

  @Test func `a slot that finds the token revoked ends the worker's other slots`() async throws {
    let proxy = try proxy(.longPoll, .problem(401, "/problems/unauthorized"), times: 1)
    let loop = loop(at: proxy.origin, patience: .zero, slots: 2)
    await #expect(throws: CoordinatorError.self) { try await loop.run() }
    await coordinator.shutdown()
  }

  @Test func `another server's refusal never ends the worker`() async throws {
    let proxy = try proxy(.registration, .answer(401), times: 20)
    let loop = loop(at: proxy.origin, patience: .zero)
    let work = Task { try await loop.run() }
    #expect(await coordinator.next { if case .asked = $0 { true } else { false } } != nil)
    work.cancel()
    try await work.value
    await coordinator.shutdown()
  }

  @Test func `each success restarts the time for which a token may be refused`() async throws {
    let clock = TestClock()
    let refusals = TokenRefusals(patience: .seconds(10), clock: clock)
    let answers = Mutex<[FaultyProxy.Fault?]>([])
    let proxy = try FaultyProxy(to: coordinator.port) { _ in
      answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
    let connection = CoordinatorConnection(
      client: Client(to: ServerAddresses(proxy.origin)), refusals: refusals)
    let refusal = FaultyProxy.Fault.problem(401, "/problems/unauthorized")
    func register() async -> CoordinatorError? {
      do {
        _ = try await connection.register(
          WorkerRegistration(name: "n", slots: 1, fingerprint: "f"))
        return nil
      } catch {
        return error as? CoordinatorError
      }
    }
    func isRevoked(_ error: CoordinatorError?) -> Bool {
      if case .tokenRevoked = error { true } else { false }
    }
    for (advance, answer, revoked) in [
      (0, refusal, false), (9, refusal, false), (2, nil, false), (1, refusal, false),
      (9, FaultyProxy.Fault.answer(200), false), (0, refusal, false), (1, refusal, true),
    ] as [(Int, FaultyProxy.Fault?, Bool)] {
      clock.advance(by: .seconds(advance))
      answers.withLock { $0 = [answer] }
      #expect(isRevoked(await register()) == revoked)
    }
    await coordinator.shutdown()
  }

  @Test func `a token file that is replaced is read again`() async throws {
    let path = folder.path("token")
    try Data("sheaf_old".utf8).write(to: URL(fileURLWithPath: path))
    let proxy = try FaultyProxy(to: coordinator.port) { request in
      request.headers["authorization"] == "Bearer sheaf_new"
        ? nil : .problem(401, "/problems/unauthorized")
    }
    let loop = loop(
      at: proxy.origin,
      with: Credentials(token: BearerToken(file: path), tokenFile: path))
    let work = Task { try await loop.run() }
    try await eventually("the worker sends a request") { !proxy.requests.isEmpty }
    try Data("sheaf_new".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    #expect(await coordinator.next { if case .asked = $0 { true } else { false } } != nil)
    work.cancel()
    try await work.value
    await coordinator.shutdown()
  }

  @Test func `a worker whose token stays revoked exits with its own exit code`() throws {
    let proxy = try FaultyProxy(to: 1) { _ in .problem(401, "/problems/unauthorized") }
    let outcome = try Program.worker.run([
      "--coordinator", proxy.origin, "--cache", folder.path, "--token-patience", "0",
    ])
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("refused the token: told to fail"))
  }
}

/// A clock that a test moves.
final class TestClock: Clock {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func advance(by length: Duration) { time.withLock { $0 += length } }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {}
}
