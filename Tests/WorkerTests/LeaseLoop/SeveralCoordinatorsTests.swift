import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_worker

/// Workers of a farm that has several coordinators.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SeveralCoordinatorsTests {
  private let coordinator: FakeCoordinator
  private let folder: TemporaryDirectory
  private let lines = Lines()

  /// The lines of the worker's log.
  private final class Lines: Sendable {
    private let list = Mutex<[String]>([])
    func add(_ line: String) { list.withLock { $0.append(line) } }
    var all: [String] { list.withLock(\.self) }
  }

  init() throws {
    coordinator = try FakeCoordinator()
    folder = try TemporaryDirectory()
  }

  /// Runs a worker until it has delivered a chunk.
  private func deliver(at addresses: [String]) async throws {
    coordinator.change { $0.leases = [.test("one")] }
    let servers = try #require(ServerAddresses(addresses))
    let loop = LeaseLoop(
      registration: WorkerRegistration(name: "test", slots: 1, fingerprint: "f"),
      connection: CoordinatorConnection(client: Client(to: servers)),
      renderer: PretendedRenderer(), spoolDirectory: folder.path,
      pauses: Pauses(
        backoff: Backoff(first: .milliseconds(1), cap: .milliseconds(4)),
        stopPatience: .milliseconds(20)),
      log: Log(.normal) { [lines] in lines.add($0) })
    let work = Task { try await loop.run() }
    let delivery = await coordinator.next { if case .delivered = $0 { true } else { false } }
    #expect(delivery == .delivered(token: "one", bytes: Array("one".utf8)))
    work.cancel()
    try await work.value
    await coordinator.shutdown()
  }

  @Test func `a worker registers at the second address if nothing listens at the first`()
    async throws
  {
    let silent = try SilentPort()
    try await deliver(at: ["http://127.0.0.1:\(silent.number)", coordinator.url])
    let registered = lines.all.filter { $0.contains("msg=registered") }
    #expect(registered.count == 1, "\(lines.all)")
    #expect(registered.allSatisfy { $0.contains("coordinator=\(coordinator.url) ") })
    #expect(!lines.all.contains { $0.contains("msg=waiting") }, "\(lines.all)")
    withExtendedLifetime(silent) {}
  }

  @Test(arguments: ["/leases?wait=30", "/leases/one/chunk"])
  func `a worker goes on at the second address if the first stops answering`(
    _ last: String
  ) async throws {
    let isLost = Atomic(false)
    let first = try FaultyProxy(to: coordinator.port) { request in
      if request.path.hasSuffix(last) { isLost.store(true, ordering: .relaxed) }
      return isLost.load(ordering: .relaxed) ? .swallow : nil
    }
    let second = try FaultyProxy(to: coordinator.port)
    try await deliver(at: [first.origin, second.origin])
    #expect(first.requests.count { $0.path.hasSuffix(last) } == 1)
    #expect(second.requests.count { $0.path.hasSuffix(last) } >= 1)
  }

  @Test func `the check succeeds if one coordinator responds, and names all if none does`() throws {
    let silent = [try SilentPort(), try SilentPort()]
    let dead = silent.map { "http://127.0.0.1:\($0.number)" }
    let proxy = try FaultyProxy(to: 1) { _ in .answer(200, "text/plain", "ok\n") }
    func check(_ addresses: [String]) throws -> Program.Outcome {
      try Program.worker.run(
        ["--check", "--cache", folder.path] + addresses.flatMap { ["--coordinator", $0] })
    }
    #expect(try check([dead[0], proxy.origin]).status == 0)
    let failed = try check(dead)
    #expect(failed.status == 1)
    for address in dead {
      #expect(failed.standardError.contains("\(address)/healthz: "), "\(failed.standardError)")
    }
    withExtendedLifetime(silent) {}
  }
}
