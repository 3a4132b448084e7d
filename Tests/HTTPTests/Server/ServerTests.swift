import Foundation
import HTTP
import Support
import Synchronization
import Testing

@Suite(.mayBlock) struct ServerTests {
  @Test func `a handler receives every part of the request`() async throws {
    var router = Router()
    router.post("/jobs/{id}") { request in
      let body = String(decoding: request.body, as: UTF8.self)
      let name = try request.parameter("id")
      let wait = request.query["wait"] ?? "none"
      return .text("\(name)|\(wait)|\(request.headers["x-some"] ?? "none")|\(body)|\(request.peer)")
    }
    try await withServer(router) { _, base, client in
      let response = try await client.send(
        ClientRequest(
          .post, base + "/jobs/a%20b%2Fc?wait=1+2%26", headers: ["X-SOME": "value"],
          body: Data("content".utf8)))
      #expect(
        String(decoding: response.body, as: UTF8.self) == "a b/c|1 2&|value|content|127.0.0.1")
    }
  }

  @Test func `a server takes over a socket on which requests wait already`() async throws {
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    let (port, descriptor) = (socket.port, dup(socket.descriptor))
    let connection = try RawConnection(port: port)
    try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    var router = Router()
    router.get("/") { _ in .text("one") }
    let configuration = try ServerConfiguration(descriptor: descriptor)
    try await withServer(router, configuration: configuration) { server, _, _ in
      let answer = try await connection.receive(through: "one")
      #expect(server.port == port && answer.contains("200 OK"))
    }
  }

  @Test func `a descriptor that is not a listening socket is rejected`() throws {
    let configuration = try ServerConfiguration(descriptor: STDERR_FILENO)
    #expect(throws: ServerError.self) { try Server(configuration, router: Router()) }
    #expect(ListeningSocket.address(of: STDERR_FILENO) == nil)
  }

  @Test func `a connection is reused for the next request`() async throws {
    var router = Router()
    router.get("/") { _ in .text("one") }
    try await withServer(router) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      for _ in 0..<3 {
        try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try await connection.receive(through: "one").contains("200 OK"))
      }
      try connection.send("DELETE / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.receive(through: "}").contains("405 Method Not Allowed"))
      try connection.send("PUT /none HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc")
      #expect(try await connection.receive(through: "}").contains("404 Not Found"))
      try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.receive(through: "one").contains("200 OK"))
    }
  }

  @Test func `HEAD has the headers of GET and no body`() async throws {
    var router = Router()
    router.get("/") { _ in .text("content") }
    try await withServer(router) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("HEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answer = try await connection.receive()
      #expect(answer.contains("Content-Length: 7\r\n"))
      #expect(answer.hasSuffix("\r\n\r\n"))
    }
  }

  @Test(arguments: [1, 2]) func `a few threads serve two hundred long polls`(
    _ threads: Int
  ) async throws {
    let arrived = Arrivals()
    let all = Signal<Void>()
    var router = Router()
    router.get("/wait/{n}") { request in
      if arrived.next() == 200 { all.send() }
      await all.value
      return .text(try request.parameter("n"))
    }
    try await withServer(router, configuration: ServerConfiguration(threads: threads)) {
      _, base, client in
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        for number in 0..<200 {
          group.addTask {
            let response = try await client.send(ClientRequest(.get, "\(base)/wait/\(number)"))
            return String(decoding: response.body, as: UTF8.self)
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers == Set((0..<200).map(String.init)))
    }
  }

  @Test func `a client that disconnects during a long poll cancels the handler`() async throws {
    let began = Signal<Void>()
    let cancelled = Signal<Void>()
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
    try await withServer(router) { server, _, _ in
      var connection: RawConnection? = try RawConnection(port: server.port)
      try connection?.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
      await began.value
      connection = nil
      await cancelled.value
    }
  }

  @Test func `an unexpected error of a handler is a 500 without details`() async throws {
    struct Secret: Error {}
    let reported = Signal<String>()
    var router = Router()
    router.get("/fail") { _ in throw Secret() }
    try await withServer(router, onError: { reported.send("\($0) \($1.path)") }) {
      _, base, client in
      let response = try await client.send(ClientRequest(.get, base + "/fail"))
      #expect(response.status == .internalServerError)
      #expect(!String(decoding: response.body, as: UTF8.self).contains("Secret"))
      #expect(await reported.value == "Secret() /fail")
    }
  }

  @Test func `a body over the limit is rejected with 413`() async throws {
    var router = Router()
    router.post("/small", bodyLimit: 1000) { _ in Response(.noContent) }
    try await withServer(router) { _, base, client in
      for count in [1001, 3_000_000, 80_000_000] {
        let response = try await client.send(
          ClientRequest(.post, base + "/small", body: Data(count: count)))
        #expect(response.status == .contentTooLarge)
        #expect(response.problem?.status == 413)
      }
      let response = try await client.send(
        ClientRequest(.post, base + "/small", body: Data(count: 1000)))
      #expect(response.status == .noContent)
    }
  }

  /// A request that no server should accept.
  enum Malformed: String, CaseIterable {
    case noRequest = "GARBAGE\r\n\r\n"
    case headerWithoutColon = "GET / HTTP/1.1\r\nno colon here\r\n\r\n"
    case badEscape = "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n"
    case escapedNull = "GET /%00 HTTP/1.1\r\nHost: x\r\n\r\n"
    case notUTF8 = "GET /%ff HTTP/1.1\r\nHost: x\r\n\r\n"
    case negativeLength = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n"
    case lengthNoNumber = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n"
    case noHost = "GET / HTTP/1.1\r\n\r\n"
    case longTarget
    case longHeader

    var text: String {
      let letters = String(repeating: "a", count: 100_000)
      return switch self {
      case .longTarget: "GET /\(letters.prefix(9000)) HTTP/1.1\r\nHost: x\r\n\r\n"
      case .longHeader: "GET / HTTP/1.1\r\nHost: x\r\nX: \(letters)\r\n\r\n"
      default: rawValue
      }
    }
  }

  @Test(arguments: Malformed.allCases)
  func `a malformed request is rejected, and the server keeps running`(_ request: Malformed)
    async throws
  {
    var router = Router()
    router.get("/") { _ in .text("fine") }
    router.get("/{any}") { _ in .text("fine") }
    router.post("/") { _ in .text("fine") }
    try await withServer(router) { server, base, client in
      let connection = try RawConnection(port: server.port)
      try? connection.send(request.text)
      let answer = try await connection.receive(through: "\r\n\r\n")
      #expect(answer.isEmpty || answer.contains(" 4"), "\(answer)")
      #expect(try await client.send(ClientRequest(.get, base + "/")).status == .ok)
    }
  }

  @Test func `shutting down cancels handlers, answers their requests, and ends`() async throws {
    let began = Signal<Void>()
    let heard = Signal<Void>()
    let end = Signal<Void>()
    defer { end.send() }
    var router = Router()
    router.get("/wait") { _ in
      began.send()
      try await untilCancelled()
    }
    router.get("/deaf") { _ in
      heard.send()
      await end.value
      return Response(.noContent)
    }
    try await withServer(router) { server, base, client in
      async let waiting = client.send(ClientRequest(.get, base + "/wait"))
      async let deaf = client.send(ClientRequest(.get, base + "/deaf"))
      await began.value
      await heard.value
      await server.shutdown(grace: .milliseconds(300))
      let statuses = try await [waiting.status, deaf.status]
      #expect(statuses == [.serviceUnavailable, .serviceUnavailable])
      await #expect(throws: ClientError.self) {
        try await client.send(ClientRequest(.get, base + "/wait"))
      }
    }
  }

  @Test func `an error for an address in use names the address`() async throws {
    try await withServer(Router()) { server, _, _ in
      let error = #expect(throws: ServerError.self) {
        try Server(ServerConfiguration(port: server.port), router: Router())
      }
      #expect(error?.code == .cannotListen)
      #expect(error?.message.contains("127.0.0.1:\(server.port)") == true)
    }
  }
}

/// Counts requests.
private final class Arrivals: Sendable {
  private let count = Mutex(0)

  /// The number of the next request, starting at 1.
  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}
