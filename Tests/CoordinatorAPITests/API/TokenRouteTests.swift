import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Synchronization
import Testing
import sheaf_coordinator

/// Tokens over the API.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct TokenRouteTests {
  private struct Token: Decodable {
    let id, role, name: String
    let createdAt: Date
    let revokedAt: Date?
    let token: String?
  }

  private func create(_ role: String, _ name: String, by admin: TokenHolder) async throws
    -> Response
  {
    try await admin.send(
      .post, "/tokens", body: FarmCoding.encode(["role": role, "name": name]))
  }

  @Test func `a created token is accepted, and is shown only once`() async throws {
    let lines = Mutex<[String]>([])
    let farm = try await TestFarm(
      access: .tokens, log: Log(.normal) { line in lines.withLock { $0.append(line) } })
    let admin = try TokenHolder(.admin, "root", of: farm)
    let response = try await create("observer", "eve", by: admin)
    #expect(response.status == .created)
    let created: Token = try await response.wire()
    let token = try #require(created.token)
    #expect(created.role == "observer" && created.name == "eve" && created.revokedAt == nil)
    let answer = try await farm.send(
      .get, "/jobs", headers: ["Authorization": "Bearer \(token)"])
    #expect(answer.status == .ok)
    let list = try await admin.send(.get, "/tokens").content()
    #expect(!String(decoding: list, as: UTF8.self).contains(token))
    let tokens = try FarmCoding.decode([Token].self, from: list)
    #expect(tokens.map(\.name) == ["root", "eve"])
    #expect(lines.withLock { $0.contains { $0.hasSuffix("observer eve created\" caller=root\n") } })
    #expect(lines.withLock { !$0.contains { $0.contains(token) } })
  }

  @Test func `a revoked token is refused, and stays listed`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let admin = try TokenHolder(.admin, "root", of: farm)
    let eve = try TokenHolder(.observer, "eve", of: farm)
    #expect(try await admin.send(.delete, "/tokens/\(eve.id)").status == .noContent)
    #expect(try await eve.send(.get, "/jobs").status == .unauthorized)
    let first: [Token] = try await admin.send(.get, "/tokens").wire()
    #expect(first.map { $0.revokedAt != nil } == [false, true])
    #expect(try await admin.send(.delete, "/tokens/\(eve.id)").status == .noContent)
    let second: [Token] = try await admin.send(.get, "/tokens").wire()
    #expect(second.map(\.revokedAt) == first.map(\.revokedAt))
    #expect(try await admin.send(.delete, "/tokens/none").problem() == .notFound)
  }

  @Test func `an admin revokes its own token only on purpose`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let admin = try TokenHolder(.admin, "root", of: farm)
    #expect(try await admin.send(.delete, "/tokens/\(admin.id)").problem() == .wrongState)
    #expect(try await admin.send(.get, "/tokens").status == .ok)
    let response = try await admin.send(.delete, "/tokens/\(admin.id)?confirm=self")
    #expect(response.status == .noContent)
    #expect(try await admin.send(.get, "/tokens").status == .unauthorized)
  }

  @Test func `the chunks of a worker's revoked token are not used`() async throws {
    let farm = try await TestFarm(access: .tokens)
    let admin = try TokenHolder(.admin, "root", of: farm)
    let ada = try TokenHolder(.submitter, "ada", of: farm)
    let rack = try TokenHolder(.worker, "rack", of: farm)
    let bytes = Data("a clip".utf8)
    #expect(try await ada.upload(bytes).status == .created)
    let job: JobStatus = try await ada.submit(
      AssetReference(digest: .of(bytes), byteCount: Int64(bytes.count))
    ).wire()
    let lease = try await rack.lease(rack.register(name: "rack"))
    #expect(try await rack.deliver(lease).status == .ok)
    #expect(try await admin.send(.delete, "/tokens/\(rack.id)").status == .noContent)
    await farm.coordinator.dropUntrusted()
    let status: JobStatus = try await ada.send(.get, "/jobs/\(job.id)").wire()
    #expect(status.segments.completed == 0)
  }

  @Test(arguments: [
    ("observer", "", ProblemType.malformedRequest), ("observer", "a b", .malformedRequest),
    ("observer", "-a", .malformedRequest), ("king", "eve", .malformedRequest),
  ])
  func `an invalid role or name is refused`(role: String, name: String, type: ProblemType)
    async throws
  {
    let farm = try await TestFarm(access: .tokens)
    let admin = try TokenHolder(.admin, "root", of: farm)
    #expect(try await create(role, name, by: admin).problem() == type)
    #expect(try await admin.send(.get, "/tokens").wire(as: [Token].self).count == 1)
  }

  @Test func `a coordinator without tokens lists none and creates none`() async throws {
    let farm = try await TestFarm()
    #expect(try await farm.get("/tokens", as: [Token].self).isEmpty)
    let response = try await farm.post("/tokens", ["role": "admin", "name": "root"])
    #expect(try await response.problem() == .wrongState)
    #expect(try await farm.send(.delete, "/tokens/any").problem() == .wrongState)
  }
}
