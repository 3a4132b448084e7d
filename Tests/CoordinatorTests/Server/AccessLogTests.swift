import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// The access log of the real program.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AccessLogTests {
  private let scratch: TemporaryDirectory
  private let tokens: FarmTokens
  private let file: String

  init() throws {
    scratch = try TemporaryDirectory()
    _ = try Program.coordinator.run([
      "token", "create", "--data", scratch.path("data"), "--role", "observer", "--name", "first",
    ])
    tokens = try FarmTokens(data: scratch.path("data"))
    file = scratch.path("access.log")
  }

  private func serve(_ arguments: String...) throws -> RunningCoordinator {
    try RunningCoordinator(
      data: scratch.path("data"), ["--require-tokens", "--access-log", file] + arguments)
  }

  /// Waits until the log has a number of lines.
  private func lines(_ count: Int) async throws -> [String] {
    try await eventually("\(count) requests are logged") {
      try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
    } satisfies: {
      $0.count >= count
    }
  }

  @Test func `a line names the caller and the route, and never a token`() async throws {
    let coordinator = try serve()
    defer { coordinator.kill() }
    let worker = Client(credentials: Credentials(token: BearerToken(tokens.worker)))
    let secret = "secret-lease-token"
    let beat = ClientRequest.json(
      .put, coordinator.url + "/leases/\(secret)?token=\(secret)",
      data: try FarmCoding.encode(Heartbeat(framesRendered: 1)))
    #expect(try await worker.send(beat).status.rawValue >= 400)
    let submitter = Client(credentials: Credentials(token: BearerToken(tokens.submitter)))
    let job = ClientRequest(.get, coordinator.url + "/jobs/j1")
    #expect(try await submitter.send(job).status == .notFound)
    let health = ClientRequest(.get, coordinator.origin + "/healthz")
    #expect(try await Client().send(health).status == .ok)
    let wrong = Client(credentials: Credentials(token: BearerToken("sheaf_wrong")))
    #expect(try await wrong.send(job).status == .unauthorized)
    let logged = try await lines(4)
    let text = logged.joined()
    #expect(!text.contains(secret) && !text.contains("sheaf_") && !text.contains(tokens.worker))
    func line(_ route: String, _ status: String) throws -> String {
      try #require(logged.first { $0.contains(" route=\(route) status=\(status)") }, "\(logged)")
    }
    let beaten = try line("/api/v1/leases/{token}", "4")
    #expect(beaten.contains(" msg=request method=PUT "))
    #expect(beaten.hasSuffix(" caller=rack role=worker remote=127.0.0.1"))
    let asked = try line("/api/v1/jobs/{id}", "404 ")
    #expect(asked.hasSuffix(" caller=anna role=submitter remote=127.0.0.1 job=j1"))
    let healthy = try line("/healthz", "200 ")
    #expect(healthy.contains(" bytes=3 ms="))
    #expect(healthy.hasSuffix(" caller=- role=- remote=127.0.0.1"))
    #expect(try line("/api/v1/jobs/{id}", "401 ").contains(" caller=- "))
  }

  @Test func `a log that was moved away is created again, as a private file`() async throws {
    let coordinator = try serve("--log-format", "json")
    defer { coordinator.kill() }
    let health = ClientRequest(.get, coordinator.origin + "/healthz")
    _ = try await Client().send(health)
    let line = try #require(try await lines(1).first)
    let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
    #expect(object?["status"] as? Int == 200 && object?["method"] as? String == "GET")
    try FileManager.default.moveItem(atPath: file, toPath: file + ".1")
    try await eventually("the log is created again") {
      _ = try await Client().send(health)
      return FileManager.default.fileExists(atPath: file)
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: file)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `an access log that cannot be written is an error at the start`() throws {
    let outcome = try Program.coordinator.run([
      "serve", "--data", scratch.path("data"), "--port", "0", "--access-log",
      scratch.path("missing/access.log"),
    ])
    #expect(outcome.status != 0)
    #expect(outcome.standardError.contains("cannot open the access log"))
  }
}
