import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

@Suite(.mayBlock) struct TokenTests {
  @Test func `a revoked token is refused from the next request on`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.observer, "eve", of: farm)
    #expect(try await holder.send(.get, "/jobs").status == .ok)
    try holder.revoke()
    #expect(try await holder.send(.get, "/jobs").status == .unauthorized)
  }

  @Test func `a wait for a lease gets none if its token is revoked meanwhile`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.worker, "rack", of: farm)
    let submitter = try TokenHolder(.submitter, "ada", of: farm)
    let welcome: WorkerWelcome = try await holder.send(
      .post, "/workers",
      body: FarmCoding.encode(WorkerRegistration(name: "host", slots: 1, fingerprint: "x264"))
    ).wire()
    async let answer = holder.send(.post, "/workers/\(welcome.id)/leases?wait=60")
    try await untilWaiting(1, farm)
    try holder.revoke()
    let bytes = Data("a clip".utf8)
    _ = try await submitter.upload(bytes)
    _ = try await submitter.submit(
      AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count)))
    #expect(try await answer.status == .unauthorized)
  }

  @Test(.timeLimit(.minutes(15)))
  func `a wait for a lease ends when its token is revoked, and other waits continue`() async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.worker, "rack", of: farm)
    let other = try TokenHolder(.worker, "shelf", of: farm)
    let worker = try await holder.register(name: "host")
    let otherWorker = try await other.register(name: "host 2")
    async let answer = holder.send(.post, "/workers/\(worker)/leases?wait=60")
    let otherWait = Task { try await other.send(.post, "/workers/\(otherWorker)/leases?wait=60") }
    try await untilWaiting(2, farm)
    try holder.revoke()
    await farm.coordinator.dropUntrusted()
    #expect(try await answer.status == .unauthorized)
    try await untilWaiting(1, farm)
    otherWait.cancel()
    _ = await otherWait.result
  }

  @Test(.timeLimit(.minutes(15)))
  func `an idle event stream ends when its token is revoked`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.observer, "eve", of: farm)
    let response = try await holder.send(.get, "/events")
    #expect(response.status == .ok)
    try holder.revoke()
    await farm.coordinator.dropUntrusted()
    #expect(try await response.content().isEmpty)
  }

  /// Waits until `count` requests wait for a lease.
  private func untilWaiting(_ count: Int, _ farm: TestFarm) async throws {
    let reader = try TokenHolder(.observer, "reader-\(count)", of: farm)
    try await eventually("\(count) requests wait for a lease") {
      let page = try await farm.respond(
        to: .get, "/metrics", headers: ["Authorization": "Bearer \(reader.token)"])
      let metrics = String(decoding: try await page.content(), as: UTF8.self)
      return metrics.contains("sheaf_waiting_requests \(count)\n")
    }
  }

  @Test func `no token is accepted if the tokens file is damaged`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.admin, "root", of: farm)
    try Data("{".utf8).write(to: URL(fileURLWithPath: TokenHolder.file(of: farm).path))
    #expect(try await holder.send(.get, "/jobs").status == .unauthorized)
  }

  @Test(arguments: [
    "", "Basic abc", "Bearer", "Bearer ", "Bearer a b", "sheaf_x",
    "Bearer \(String(repeating: "a", count: 4000))",
  ])
  func `an invalid Authorization header is refused`(field: String) async throws {
    let farm = try await TestFarm()
    let response = try await farm.send(.get, "/jobs", headers: ["Authorization": field])
    #expect(response.status == .unauthorized)
  }

  @Test func `the tokens file holds only hashes, and only its owner can read it`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let holder = try TokenHolder(.admin, "root", of: farm)
    let path = TokenHolder.file(of: farm).path
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    #expect(kept.contains(TokenRecord.hash(holder.token).description))
    #expect(!kept.contains(holder.token))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test(arguments: ["", ".hidden", "a/b", "a b", "ä", String(repeating: "a", count: 65)])
  func `an invalid token name is refused`(name: String) throws {
    let scratch = try TemporaryDirectory()
    let outcome = try Program.coordinator.run(
      ["token", "create", "--data", scratch.path, "--role", "admin", "--name", name])
    #expect(outcome.status == 2)
  }

  @Test func `the token command creates, lists and revokes tokens`() throws {
    let scratch = try TemporaryDirectory()
    let data = scratch.path("data")
    let made = try Program.coordinator.run(
      ["token", "create", "--data", data, "--role", "worker", "--name", "rack-1"])
    #expect(made.status == 0)
    let token = made.standardOutput.trimmingCharacters(in: .newlines)
    #expect(token.hasPrefix("sheaf_") && token.count == 49)
    let list = try Program.coordinator.run(["token", "list", "--data", data]).standardOutput
    let fields = list.split(separator: "\t").map(String.init)
    #expect(Array(fields[1...2]) == ["worker", "rack-1"])
    #expect(list.hasSuffix("active\n"))
    #expect(!list.contains(token))
    let revoked = try Program.coordinator.run(["token", "revoke", "--data", data, fields[0]])
    #expect(revoked.status == 0)
    let after = try Program.coordinator.run(["token", "list", "--data", data]).standardOutput
    #expect(after.contains("revoked 2"))
    let again = try Program.coordinator.run(["token", "revoke", "--data", data, "rack-1"])
    #expect(again.status == 1)
  }
}
