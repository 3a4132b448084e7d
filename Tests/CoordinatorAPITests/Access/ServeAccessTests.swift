import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing

/// The real program, open to other hosts.
@Suite(.mayBlock) struct ServeAccessTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  private func makeToken(_ role: String, _ name: String) throws -> String {
    try Program.coordinator.run(
      ["token", "create", "--data", scratch.path("data"), "--role", role, "--name", name]
    ).standardOutput.trimmingCharacters(in: .newlines)
  }

  @Test(arguments: ["0.0.0.0", "::"])
  func `a coordinator that is open to other hosts refuses to start without tokens`(address: String)
    throws
  {
    let outcome = try Program.coordinator.run(
      ["serve", "--data", scratch.path("data"), "--bind", address, "--port", "0"])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("sheaf-coordinator token create"))
  }

  @Test func `a coordinator with only a revoked token refuses to start`() throws {
    _ = try makeToken("admin", "root")
    _ = try Program.coordinator.run(["token", "revoke", "--data", scratch.path("data"), "root"])
    let outcome = try Program.coordinator.run(
      ["serve", "--data", scratch.path("data"), "--bind", "0.0.0.0", "--port", "0"])
    #expect(outcome.status == 1)
  }

  @Test func `a token that is given instead of its id is not printed`() throws {
    let token = try makeToken("worker", "host")
    let outcome = try Program.coordinator.run(
      ["token", "revoke", "--data", scratch.path("data"), token])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("give the token's id or name"))
    #expect(!(outcome.standardError + outcome.standardOutput).contains(token))
  }

  @Test func `the option --require-tokens applies to a loopback address too`() throws {
    let outcome = try Program.coordinator.run(
      ["serve", "--data", scratch.path("data"), "--port", "0", "--require-tokens"])
    #expect(outcome.status == 1)
  }

  @Test(.timeLimit(.minutes(15)))
  func `the coordinator warns if there is no TLS, and never logs a token`() async throws {
    let token = try makeToken("admin", "root")
    let workerToken = try makeToken("worker", "host")
    let log = scratch.path("log")
    _ = FileManager.default.createFile(atPath: log, contents: nil)
    let process = Program.coordinator.process([
      "serve", "--data", scratch.path("data"), "--bind", "0.0.0.0", "--port", "0", "--verbose",
    ])
    let output = try SubprocessPipe()
    process.standardOutput = .pipe(output)
    process.standardError = try .writing(log)
    try process.run()
    let port = try #require(try firstLine(of: output).split(separator: ":").last)
    let base = "http://127.0.0.1:\(port)"
    let wrong = "sheaf_" + String(repeating: "w", count: 43)
    let holder = Client(credentials: Credentials(token: BearerToken(token)))
    let stranger = Client(credentials: Credentials(token: BearerToken(wrong)))
    #expect(try await holder.send(ClientRequest(.get, base + "/api/v1/jobs")).status == .ok)
    #expect(
      try await stranger.send(ClientRequest(.get, base + "/api/v1/jobs")).status == .unauthorized)
    var said: [String] = []
    for body in ["{\"token\": \"\(token)\"}", "{\"token\": \"\(wrong)\"}", "{\"token\": \(token)}"]
    {
      let response = try await Client().send(
        .json(.post, base + "/session", data: Data(body.utf8)))
      said.append(String(decoding: response.body, as: UTF8.self))
    }
    let registration = WorkerRegistration(name: "host", slots: 1, fingerprint: "x264")
    let worker = Client(credentials: Credentials(token: BearerToken(workerToken)))
    let registered = try await worker.send(
      .json(.post, base + "/api/v1/workers", data: FarmCoding.encode(registration)))
    #expect(registered.status == .created)
    process.terminate()
    process.wait()
    let lines = try String(contentsOfFile: log, encoding: .utf8)
    #expect(lines.contains("TLS is off"))
    for text in said + [lines] {
      for secret in [token, workerToken, wrong] { #expect(!text.contains(secret)) }
    }
  }

  private func firstLine(of pipe: SubprocessPipe) throws -> String {
    var line: [UInt8] = []
    while let byte = try pipe.reading.read(upToCount: 1)?.first, byte != 10 {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }
}
