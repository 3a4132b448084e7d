import Foundation
import HTTP
import Support
import Testing

/// Tests the limit on memory for the bodies of concurrent requests.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct BodyBudgetTests {
  private func configuration() throws -> ServerConfiguration {
    var limits = ServerLimits()
    limits.bufferedBodyBytes = 1000
    return try ServerConfiguration(limits: limits)
  }

  private var router: Router {
    var router = Router()
    router.put("/") { _ in Response(.noContent) }
    router.put("/fail") { _ in throw HTTPError(.conflict, detail: "it is there") }
    return router
  }

  /// Sends a body of `count` bytes.
  private func put(
    _ count: Int, _ path: String = "/", to base: String, _ client: Client
  ) async throws -> ClientResponse {
    try await client.send(ClientRequest(.put, base + path, body: Data(count: count)))
  }

  /// Sends bodies of `count` bytes until one of them is answered with `status`.
  private func keepPutting(
    _ count: Int, to base: String, _ client: Client, until status: Status
  ) async throws -> ClientResponse {
    try await eventually("a body of \(count) bytes is answered with \(status)") {
      try await put(count, to: base, client)
    } satisfies: {
      $0.status == status
    }
  }

  /// Opens a connection that has sent 800 of the 900 bytes of a body.
  private func stall(at server: Server) throws -> RawConnection {
    let connection = try RawConnection(port: server.port)
    try connection.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n")
    try connection.send(String(repeating: "x", count: 800))
    return connection
  }

  @Test func `a body that exceeds the memory left by other bodies is rejected with 503`()
    async throws
  {
    try await withServer(router, configuration: configuration()) { server, base, client in
      let stalled = try stall(at: server)
      let refused = try await keepPutting(500, to: base, client, until: .serviceUnavailable)
      #expect(refused.headers["Retry-After"] == "5")
      #expect(refused.problem?.type == "/problems/limit-reached")
      // A small one still fits.
      #expect(try await put(200, to: base, client).status == .noContent)

      try stalled.send(String(repeating: "x", count: 100))
      #expect(try await stalled.receive(through: "\r\n\r\n").contains("204 No Content"))
      #expect(try await put(1000, to: base, client).status == .noContent)
    }
  }

  @Test func `the memory of an incomplete body is released`() async throws {
    try await withServer(router, configuration: configuration()) { server, base, client in
      var stalled: RawConnection? = try stall(at: server)
      _ = try await keepPutting(500, to: base, client, until: .serviceUnavailable)
      withExtendedLifetime(stalled) {}
      stalled = nil
      _ = try await keepPutting(1000, to: base, client, until: .noContent)
    }
  }

  @Test func `the memory of a body that times out is released`() async throws {
    var limits = ServerLimits()
    limits.bufferedBodyBytes = 1000
    limits.bodyTimeout = .seconds(1)
    let impatient = try ServerConfiguration(limits: limits)
    try await withServer(router, configuration: impatient) { server, base, client in
      let stalled = try stall(at: server)
      #expect(try await stalled.receive().contains("408 Request Timeout"))
      _ = try await keepPutting(1000, to: base, client, until: .noContent)
    }
  }

  @Test func `a body uses memory until its handler ends, even if its client disconnects`()
    async throws
  {
    let began = Signal<Void>()
    let mayEnd = Signal<Void>()
    var router = self.router
    router.post("/wait") { _ in
      began.send()
      await mayEnd.value
      return Response(.noContent)
    }
    try await withServer(router, configuration: configuration()) { server, base, client in
      var connection: RawConnection? = try RawConnection(port: server.port)
      let body = String(repeating: "x", count: 800)
      try connection?.send("POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: 800\r\n\r\n\(body)")
      await began.value
      #expect(try await put(500, to: base, client).status == .serviceUnavailable)
      connection = nil
      #expect(try await put(500, to: base, client).status == .serviceUnavailable)
      mayEnd.send()
      _ = try await keepPutting(1000, to: base, client, until: .noContent)
    }
  }

  @Test func `rejected requests use no memory`() async throws {
    try await withServer(router, configuration: configuration()) { _, base, client async throws in
      for _ in 0..<5 {
        #expect(try await put(1001, to: base, client).status == .serviceUnavailable)
        #expect(try await put(1000, "/fail", to: base, client).status == .conflict)
      }
      #expect(try await put(1000, to: base, client).status == .noContent)
    }
  }

  @Test func `a server without memory for bodies is invalid`() {
    var limits = ServerLimits()
    limits.bufferedBodyBytes = 0
    #expect(throws: ServerError.self) { try ServerConfiguration(limits: limits) }
  }
}
