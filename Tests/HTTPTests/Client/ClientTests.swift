import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct ClientTests {
  @Test func `an error for a refused connection names the URL`() async throws {
    let port = try SilentPort()
    let url = "http://127.0.0.1:\(port.number)/jobs"
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(ClientRequest(.get, url))
    }
    #expect(error?.code == .couldNotConnect)
    #expect(error.map { $0.message == "GET failed: \(url): \($0.reason)" } == true)
    withExtendedLifetime(port) {}
  }

  @Test(arguments: ["", "nonsense://x/", "file:///etc/passwd", "http://", "http://a b/"])
  func `an invalid URL is an error`(_ url: String) async {
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(ClientRequest(.get, url))
    }
    #expect(error?.code == .invalidURL)
  }

  @Test func `a host without an address is an error`() async {
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(ClientRequest(.get, "http://host.invalid/"))
    }
    #expect(error?.code == .couldNotResolve)
  }

  @Test func `a header field with a line end is rejected`() async {
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(
        ClientRequest(.get, "http://127.0.0.1:1/", headers: ["A": "b\r\nC: d"]))
    }
    #expect(error?.code == .invalidRequest)
  }

  private func waitingRouter(_ began: Signal<Void>, _ cancelled: Signal<Void> = Signal()) -> Router
  {
    var router = Router()
    router.get("/wait") { _ in
      began.send()
      do {
        try await untilCancelled()
      } catch {
        cancelled.send()
        return Response(.noContent)
      }
    }
    return router
  }

  @Test func `an exchange that exceeds its time limit is an error`() async throws {
    var router = waitingRouter(Signal())
    router.get("/") { _ in Response(.noContent) }
    try await withServer(router) { _, base, client in
      // Reuses the connection of an earlier exchange, so that no time is spent on opening one.
      _ = try await client.send(ClientRequest(.get, base + "/"))
      let error = await #expect(throws: ClientError.self) {
        try await client.send(
          ClientRequest(.get, base + "/wait", timeout: .milliseconds(50)))
      }
      #expect(error?.code == .timedOut)
    }
  }

  @Test func `cancelling the task cancels the transfer`() async throws {
    let began = Signal<Void>()
    let cancelled = Signal<Void>()
    try await withServer(waitingRouter(began, cancelled)) { _, base, client in
      let task = Task { try await client.send(ClientRequest(.get, base + "/wait")) }
      await began.value
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      await cancelled.value
    }
  }

  @Test func `a task that is already cancelled sends nothing`() async throws {
    try await withServer(waitingRouter(Signal())) { _, base, client in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await client.send(ClientRequest(.get, base + "/wait"))
      }
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `a response over the limit is an error`() async throws {
    var router = Router()
    router.get("/") { _ in .text(String(repeating: "a", count: 1001)) }
    try await withServer(router) { _, base, client in
      let error = await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.get, base + "/", responseLimit: 1000))
      }
      #expect(error?.code == .responseTooLarge)
      let response = try await client.send(ClientRequest(.get, base + "/", responseLimit: 1001))
      #expect(response.body.count == 1001)
    }
  }

  @Test(arguments: [HTTP.Method.get, .post, .put, .patch, .delete, .options])
  func `a method arrives as it was sent`(_ method: HTTP.Method) async throws {
    var router = Router()
    router.on(method, "/") {
      .text("\($0.method) \($0.body.count) \($0.headers["Content-Type"] ?? "-")")
    }
    try await withServer(router) { _, base, client in
      let plain = try await client.send(ClientRequest(method, base + "/"))
      #expect(String(decoding: plain.body, as: UTF8.self) == "\(method) 0 -")
      let full = try await client.send(ClientRequest(method, base + "/", body: Data(count: 9)))
      #expect(String(decoding: full.body, as: UTF8.self) == "\(method) 9 -")
    }
  }

  @Test func `JSON is sent and received`() async throws {
    var router = Router()
    router.post("/") { try .json($0.json([String: Int].self)) }
    try await withServer(router) { _, base, client in
      let response = try await client.send(.json(.post, base + "/", ["a": 1]))
      #expect(try response.successful().json() == ["a": 1])
    }
  }

  @Test func `an error status is an error only if success is required`() async throws {
    try await withServer(Router()) { _, base, client in
      let response = try await client.send(ClientRequest(.get, base + "/none"))
      #expect(response.status == .notFound)
      let error = #expect(throws: ClientError.self) { try response.successful() }
      #expect(
        error?.message
          == "the server refused: \(base)/none: 404 Not Found: there is nothing at /none")
      #expect(error?.status == .notFound)
    }
  }
}
