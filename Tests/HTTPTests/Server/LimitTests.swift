import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Tests limits on clients that send too much, or that are too slow.
@Suite(.mayBlock) struct LimitTests {
  private func configuration(
    _ change: (inout ServerLimits) -> Void
  ) throws -> ServerConfiguration {
    var limits = ServerLimits()
    change(&limits)
    return try ServerConfiguration(limits: limits)
  }

  private var router: Router {
    var router = Router()
    router.get("/") { _ in .text("content") }
    router.put("/") { _ in Response(.noContent) }
    return router
  }

  @Test func `an incomplete head is answered with 408`() async throws {
    let impatient = try configuration { $0.headTimeout = .seconds(5) }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET / HTTP/1.1\r\nHost: x\r\n")
      let answer = try await connection.receive()
      #expect(answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
      #expect(answer.contains(ProblemDocument.mediaType))
      #expect(answer.contains("/problems/limit-reached"))
    }
  }

  @Test func `a head that arrives too slowly is answered with 408`() async throws {
    let impatient = try configuration { $0.headTimeout = .seconds(5) }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET / HTTP/1.1\r\n")
      let trickle = Task {
        while !Task.isCancelled {
          try connection.send("X: y\r\n")
          try await pause(for: .milliseconds(100), because: "the subject is a slow client")
        }
      }
      #expect(try await connection.receive(through: "}").contains("408 Request Timeout"))
      trickle.cancel()
      _ = await trickle.result
    }
  }

  @Test func `a body that arrives too slowly is answered with 408 and abandoned`() async throws {
    final class Sink: BodySink {
      let abandoned = Signal<Void>()
      func write(_ bytes: UnsafeRawBufferPointer) throws {}
      func abandon() { abandoned.send() }
    }
    let sink = Sink()
    var router = Router()
    router.upload(.put, "/", open: { _ in sink }, { _, _ in Response(.noContent) })
    let impatient = try configuration { $0.bodyTimeout = .seconds(5) }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\nbytes")
      #expect(try await connection.receive().contains("408 Request Timeout"))
      await sink.abandoned.value
    }
  }

  @Test func `a body that makes progress is accepted, however long it takes`() async throws {
    final class Sink: BodySink {
      let byteCount = Mutex(0)
      func write(_ bytes: UnsafeRawBufferPointer) throws {
        byteCount.withLock { $0 += bytes.count }
      }
      func abandon() {}
    }
    let sink = Sink()
    var router = Router()
    router.upload(.put, "/", open: { _ in sink }, { _, _ in Response(.noContent) })
    let clock = Clock()
    let impatient = try configuration {
      $0.bodyTimeout = .seconds(10)
      $0.headTimeout = .seconds(600)
    }
    try await withServer(router, configuration: impatient, now: { clock.read() }) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
      let piece = String(repeating: "x", count: 50_000)
      for number in 1...4 {
        try connection.send(piece)
        try await eventually("piece \(number) has arrived") {
          sink.byteCount.withLock { $0 } == number * piece.utf8.count
        }
        guard number < 4 else { break }
        let looks = clock.advance(by: .seconds(9))
        try await eventually("the server has looked for slow clients") { clock.looks > looks }
      }
      #expect(try await connection.receive(through: "\r\n\r\n").contains("204 No Content"))
    }
  }

  /// A clock that a test sets, and that counts how often it is read.
  private final class Clock: Sendable {
    private let state = Mutex((now: ContinuousClock.now, looks: 0))

    var looks: Int { state.withLock { $0.looks } }

    func read() -> ContinuousClock.Instant {
      state.withLock {
        $0.looks += 1
        return $0.now
      }
    }

    /// Returns the number of looks at the time before.
    func advance(by time: Duration) -> Int {
      state.withLock {
        $0.now += time
        return $0.looks
      }
    }
  }

  @Test func `a client that does not read its response is disconnected`() async throws {
    var router = Router()
    let content = Data(count: 64 << 20)
    router.get("/") { _ in Response(.ok, body: .bytes(content)) }
    let impatient = try configuration { $0.bodyTimeout = .seconds(5) }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try RawConnection.isOpen(toServerAt: server.port))
      try await eventually("the server disconnects the client") {
        try !RawConnection.isOpen(toServerAt: server.port)
      }
      let received = try await connection.receive()
      #expect(received.utf8.count < content.count)
    }
  }

  @Test func `a connection without a request is closed without a response`() async throws {
    let impatient = try configuration { $0.headTimeout = .seconds(5) }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let silent = try RawConnection(port: server.port)
      #expect(try await silent.receive().isEmpty)
      let kept = try RawConnection(port: server.port)
      try kept.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await kept.receive().hasSuffix("content"))
    }
  }

  @Test(.timeLimit(.minutes(15)))
  func `an idle connection is closed after the idle timeout`() async throws {
    let impatient = try configuration {
      $0.idleTimeout = .seconds(1)
      $0.headTimeout = .seconds(600)
      $0.bodyTimeout = .seconds(600)
    }
    try await withServer(router, configuration: impatient) { server, _, _ in
      let kept = try RawConnection(port: server.port)
      try kept.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await kept.receive().hasSuffix("content"))
    }
  }

  @Test func `waiting for the server does not count as a slow client`() async throws {
    let clock = Clock()
    var router = Router()
    router.get("/wait") { _ in
      let looks = clock.advance(by: .seconds(3600))
      // When the second look begins, the first one has found no slow client.
      try await eventually("the server has looked for slow clients") { clock.looks >= looks + 2 }
      return .text("content")
    }
    let impatient = try configuration {
      $0.headTimeout = .seconds(1)
      $0.bodyTimeout = .seconds(1)
    }
    try await withServer(router, configuration: impatient, now: { clock.read() }) {
      _, base, client in
      let response = try await client.send(ClientRequest(.get, base + "/wait"))
      #expect(response.status == .ok)
    }
  }

  @Test func `headers over the limit are rejected with 431`() async throws {
    let strict = try configuration {
      $0.headerBytes = 8192
      $0.targetBytes = 4096
    }
    try await withServer(router, configuration: strict) { _, base, client in
      let long: Headers = ["X-Long": String(repeating: "x", count: 8192)]
      let response = try await client.send(ClientRequest(.get, base, headers: long))
      #expect(response.status == .headerFieldsTooLarge)
      #expect(response.problem?.status == 431)
      let fitting: Headers = ["X-Long": String(repeating: "x", count: 7000)]
      #expect(try await client.send(ClientRequest(.get, base, headers: fitting)).status == .ok)
    }
  }

  @Test func `a head just below the default limit is accepted`() async throws {
    try await withServer(router, configuration: configuration { _ in }) { _, base, client in
      let long: Headers = ["X-Long": String(repeating: "x", count: (16 << 10) - 1024)]
      let answer = try await client.send(ClientRequest(.get, base, headers: long))
      #expect(answer.status == .ok)
    }
  }

  /// The response on a third connection while two are open.
  private func answerToTheThird(
    _ change: (inout ServerLimits) -> Void
  ) async throws -> String {
    let strict = try configuration(change)
    return try await withServer(router, configuration: strict) { server, _, _ in
      var others: [RawConnection] = []
      for _ in 0..<2 {
        let connection = try RawConnection(port: server.port)
        try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try await connection.receive(through: "content")
        others.append(connection)
      }
      let third = try RawConnection(port: server.port)
      try third.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      let answer = try await third.receive()
      withExtendedLifetime(others) {}
      return answer
    }
  }

  @Test func `a connection above the client's limit is rejected with 429`() async throws {
    let answer = try await answerToTheThird { $0.connectionsPerClient = 2 }
    #expect(answer.contains("429 Too Many Requests"))
    #expect(answer.contains("/problems/limit-reached"))
  }

  @Test func `a connection above the total limit is rejected with 503`() async throws {
    let answer = try await answerToTheThird { $0.connections = 2 }
    #expect(answer.contains("503 Service Unavailable"))
  }

  @Test func `two hundred slow clients do not block other clients, and are disconnected`()
    async throws
  {
    let impatient = try configuration { $0.headTimeout = .seconds(2) }
    try await withServer(router, configuration: impatient) { server, base, client in
      var slow: [RawConnection] = []
      for number in 0..<200 {
        let connection = try RawConnection(port: server.port)
        // Some have started a head, some a body, some nothing.
        if number % 3 == 0 { try connection.send("GET / HTTP/1.1\r\nX") }
        if number % 3 == 1 { try connection.send("PUT / HTTP/1.1\r\nHost: x\r\nContent-L") }
        slow.append(connection)
      }
      for _ in 0..<20 {
        #expect(try await client.send(ClientRequest(.get, base)).status == .ok)
      }
      for connection in slow {
        #expect(try await !connection.receive().contains("200 OK"))
      }
    }
  }
}
