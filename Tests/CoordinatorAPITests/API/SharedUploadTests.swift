import CoordinatorSupport
import Crypto
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Several clients upload the same asset.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SharedUploadTests {
  private let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
  private var path: String { "/api/v1/assets/\(Digest.of(bytes))" }

  /// Begins an upload on a socket, and sends its first bytes.
  private func begin(at port: UInt16, _ count: Int) throws -> ScriptedConnection {
    let connection = try ScriptedConnection(to: port)
    connection.send(
      "PUT \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bytes.count)\r\n"
        + "Upload-Length: \(bytes.count)\r\nUpload-Offset: 0\r\n\r\n")
    connection.send(Array(bytes.prefix(count)))
    return connection
  }

  private func put(_ base: String, from offset: Int64 = 0) async throws -> ClientResponse {
    try await Client().send(
      ClientRequest(
        .put, base + path,
        headers: ["Upload-Length": "\(bytes.count)", "Upload-Offset": "\(offset)"],
        body: bytes.dropFirst(Int(offset))))
  }

  private func untilThere(_ count: Int, _ base: String) async throws {
    try await eventually("\(count) bytes arrive") {
      let response = try await Client().send(ClientRequest(.head, base + path))
      return response.headers["Upload-Offset"].flatMap { Int($0) } ?? 0
    } satisfies: {
      $0 >= count
    }
  }

  private func farm(uploadPatience: Duration) async throws -> TestFarm {
    var storage = StorageSettings()
    storage.uploadPatience = uploadPatience
    return try await TestFarm(storage: storage)
  }

  @Test func `an upload that makes progress is not disturbed by another one`() async throws {
    let farm = try await farm(uploadPatience: .seconds(3600))
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    let base = "http://127.0.0.1:\(server.port)"
    let first = try begin(at: UInt16(server.port), 60_000)
    try await untilThere(1, base)
    for offset: Int64 in [0, 5] {
      let second = try await put(base, from: offset)
      #expect(second.status == .conflict)
      #expect(second.problem?.type == ProblemType.uploadInProgress.rawValue)
    }
    first.send(Array(bytes.dropFirst(60_000)))
    let answer = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: first.receive()) }
    }
    #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 201"))
    #expect(try await put(base).status == .created)
    await server.shutdown(grace: .zero)
  }

  @Test func `a stalled upload is taken over`() async throws {
    let farm = try await farm(uploadPatience: .milliseconds(500))
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    let base = "http://127.0.0.1:\(server.port)"
    let first = try begin(at: UInt16(server.port), 60_000)
    try await untilThere(1, base)
    var statuses: Set<Status> = []
    var offset: Int64 = 0
    try await eventually("the upload is taken over", every: .milliseconds(100)) {
      let response = try await put(base, from: offset)
      guard response.status != .created else { return true }
      statuses.insert(response.status)
      offset = response.headers["Upload-Offset"].flatMap { Int64($0) } ?? 0
      return false
    }
    #expect(statuses.subtracting([.conflict]).isEmpty)
    let whole = try await Client().send(ClientRequest(.get, base + path))
    #expect(whole.body == bytes)
    withExtendedLifetime(first) {}
    await server.shutdown(grace: .zero)
  }
}
