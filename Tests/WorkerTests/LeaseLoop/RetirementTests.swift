import FarmAPI
import HTTP
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RetirementTests {
  private let clock = TestClock()

  private func retirement(idle: Int? = nil, lifetime: Int? = nil) -> Retirement {
    let begin = clock.now
    return Retirement(
      ExitConditions(
        idleTime: idle.map { .seconds($0) }, lifetime: lifetime.map { .seconds($0) }),
      log: Log(.quiet) { _ in }
    ) { [clock] in begin.duration(to: clock.now) }
  }

  @Test func `a worker without conditions never retires`() throws {
    let retirement = retirement()
    #expect(try retirement.check() == 30)
    clock.advance(by: .seconds(1 << 30))
    #expect(try retirement.check() == 30)
  }

  @Test func `a worker retires after its idle time, and waits no longer for a lease`() throws {
    let retirement = retirement(idle: 20)
    #expect(try retirement.check() == 20)
    clock.advance(by: .milliseconds(12_500))
    #expect(try retirement.check() == 8)
    clock.advance(by: .milliseconds(7_500))
    #expect(throws: Retirement.Retired.self) { try retirement.check() }
  }

  @Test func `a worker that holds a segment is not idle`() throws {
    let retirement = retirement(idle: 20)
    try retirement.check()
    retirement.began()
    clock.advance(by: .seconds(100))
    #expect(try retirement.check() == 20)
    retirement.ended()
    clock.advance(by: .seconds(100))
    // It asks once more before its idle time begins.
    #expect(try retirement.check() == 20)
    clock.advance(by: .seconds(20))
    #expect(throws: Retirement.Retired.self) { try retirement.check() }
  }

  @Test func `a worker retires after its lifetime, even if it is busy`() throws {
    let retirement = retirement(lifetime: 20)
    retirement.began()
    clock.advance(by: .seconds(15))
    #expect(try retirement.check() == 5)
    clock.advance(by: .seconds(5))
    #expect(throws: Retirement.Retired.self) { try retirement.check() }
  }

  @Test func `a worker that has retired stays retired`() throws {
    let retirement = retirement(idle: 20)
    try retirement.check()
    clock.advance(by: .seconds(20))
    #expect(throws: Retirement.Retired.self) { try retirement.check() }
    retirement.began()
    retirement.ended()
    #expect(throws: Retirement.Retired.self) { try retirement.check() }
  }
}

/// Workers that retire, at a coordinator.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RetiringWorkerTests {
  private let coordinator: FakeCoordinator
  private let folder: TemporaryDirectory

  init() throws {
    coordinator = try FakeCoordinator()
    folder = try TemporaryDirectory()
  }

  private func loop(
    _ conditions: ExitConditions, at origin: String? = nil, slots: Int = 1,
    pauses: Pauses = Pauses(backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(4))),
    _ renderer: PretendedRenderer = PretendedRenderer()
  ) -> LeaseLoop {
    LeaseLoop(
      registration: WorkerRegistration(name: "test", slots: slots, fingerprint: "f"),
      connection: CoordinatorConnection(
        client: Client(to: ServerAddresses(origin ?? coordinator.url))),
      renderer: renderer, spoolDirectory: folder.path, exitConditions: conditions,
      pauses: pauses, log: Log(.quiet) { _ in })
  }

  /// The calls until the worker had ended.
  private func calls() async -> [FakeCoordinator.Call] {
    var calls: [FakeCoordinator.Call] = []
    await coordinator.shutdown()
    coordinator.finish()
    for await call in coordinator.calls { calls.append(call) }
    return calls
  }

  private func delivered(_ token: String) -> FakeCoordinator.Call {
    .delivered(token: token, bytes: Array(token.utf8))
  }

  @Test(arguments: [1, 3])
  func `a worker without work delivers what it holds and returns`(slots: Int) async throws {
    coordinator.change {
      $0.leases = [.test("one"), .test("two")]
      $0.answersWithoutWork = true
      $0.deliveryFailures = Array(repeating: .unavailable, count: 3)[...]
    }
    // Long enough that all slots have asked for their first segments, also on a busy host.
    try await loop(ExitConditions(idleTime: .seconds(5)), slots: slots).run()
    let calls = await calls()
    #expect(calls.contains(delivered("one")) && calls.contains(delivered("two")))
    #expect(!calls.contains { if case .givenBack = $0 { true } else { false } })
  }

  @Test func `at the end of its lifetime, a worker delivers what it holds and takes no more`()
    async throws
  {
    coordinator.change { $0.leases = [.test("one"), .test("two")] }
    let clock = TestClock()
    let renderer = PretendedRenderer { _, _ in clock.advance(by: .seconds(3600)) }
    try await loop(
      ExitConditions(lifetime: .seconds(3600)), pauses: Pauses(clock: clock), renderer
    ).run()
    let calls = await calls()
    #expect(calls.contains(delivered("one")))
    #expect(coordinator.current.leases.map(\.token) == ["two"])
    #expect(!calls.contains { if case .givenBack = $0 { true } else { false } })
  }

  @Test func `a worker that cannot reach its coordinator is idle`() async throws {
    let conditions = ExitConditions(idleTime: .milliseconds(1))
    try await loop(conditions, at: "http://127.0.0.1:1", slots: 2).run()
    await coordinator.shutdown()
  }

  @Test func `the program exits with code 0 when it retires`() throws {
    for option in ["--exit-when-idle", "--max-lifetime"] {
      let outcome = try Program.worker.run([
        "--coordinator", "http://127.0.0.1:1", "--cache", folder.path, option, "1",
      ])
      #expect(outcome.status == 0, "\(outcome.standardError)")
      #expect(outcome.standardError.contains("retiring because="))
    }
  }

  @Test func `a check reports whether the coordinator responds`() throws {
    let arguments = ["--cache", folder.path, "--check", "--coordinator"]
    let outcome = try Program.worker.run(arguments + ["http://127.0.0.1:1"])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("http://127.0.0.1:1/healthz"))
    let other = try Program.worker.run(arguments + [coordinator.url])
    #expect(other.status == 1)
    #expect(other.standardError.contains("/healthz responded with 404"))
  }
}
