import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct EventStreamTests {
  /// A handler that sends `count` events to each subscriber, then waits or ends.
  private func router(
    count: Int, ends: Bool, left: Signal<Void> = Signal(), heartbeat: Duration = .seconds(15)
  ) -> Router {
    var router = Router()
    router.get("/events") { _ in
      let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
      for number in 0..<count {
        continuation.yield(ServerSentEvent(event: "tick", data: "a\nb \(number)", id: "\(number)"))
      }
      if ends { continuation.finish() }
      // Keeping the continuation alive keeps the stream open.
      continuation.onTermination = { _ in withExtendedLifetime(continuation) { left.send() } }
      return .events(events, heartbeat: heartbeat)
    }
    return router
  }

  @Test func `every event arrives, in order, and the stream ends`() async throws {
    try await withServer(router(count: 5000, ends: true)) { _, base, client in
      var received: [ServerSentEvent] = []
      for try await event in client.events(ClientRequest(.get, base + "/events")) {
        received.append(event)
      }
      let expected = (0..<5000).map {
        ServerSentEvent(event: "tick", data: "a\nb \($0)", id: "\($0)")
      }
      #expect(received == expected)
    }
  }

  @Test func `an event's text arrives unchanged`() async throws {
    // Only CR and LF end a line of the protocol; a combining mark can follow a colon or a space.
    let texts = [
      "a\u{2028}b\u{2029}c\u{85}d\u{0B}e\u{0C}f", "\u{301}:\u{301}", " indented", "", "\n",
      "a\n\nb\n",
    ]
    var router = Router()
    router.get("/events") { _ in
      let (events, continuation) = AsyncStream.makeStream(of: ServerSentEvent.self)
      for text in texts { continuation.yield(ServerSentEvent(event: "text", data: text)) }
      continuation.finish()
      return .events(events)
    }
    try await withServer(router) { _, base, client in
      var received: [String] = []
      for try await event in client.events(ClientRequest(.get, base + "/events")) {
        received.append(event.data)
      }
      #expect(received.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
    }
  }

  @Test func `many subscribers receive the events at the same time`() async throws {
    try await withServer(router(count: 3, ends: false)) { _, base, client in
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 {
          group.addTask {
            var count = 0
            for try await _ in client.events(ClientRequest(.get, base + "/events")) {
              count += 1
              if count == 3 { break }
            }
            return count
          }
        }
        let total = try await group.reduce(0, +)
        #expect(total == 300)
      }
    }
  }

  @Test func `a subscriber that disconnects ends the source of its events`() async throws {
    let left = Signal<Void>()
    try await withServer(router(count: 1, ends: false, left: left)) { server, _, _ in
      var connection: RawConnection? = try RawConnection(port: server.port)
      try connection?.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(
        try await connection?.receive(through: "data: b 0").contains("text/event-stream") == true)
      connection = nil
      await left.value
    }
  }

  @Test func `comments keep a silent stream alive`() async throws {
    let router = router(count: 0, ends: false, heartbeat: .milliseconds(20))
    try await withServer(router) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.receive(through: "\n: heartbeat\n\n").contains("200 OK"))
    }
  }

  @Test func `the head of a silent stream is sent immediately`() async throws {
    try await withServer(router(count: 0, ends: false)) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection.receive(through: "\r\n\r\n").contains("200 OK"))
    }
  }

  @Test func `shutting down ends event streams`() async throws {
    let left = Signal<Void>()
    try await withServer(router(count: 1, ends: false, left: left)) { server, base, client in
      var count = 0
      for try await _ in client.events(ClientRequest(.get, base + "/events")) {
        count += 1
        await server.shutdown()
      }
      #expect(count == 1)
      await left.value
    }
  }

  @Test func `a rejected subscription is an error with the server's explanation`() async throws {
    var router = Router()
    router.get("/events") { _ in throw HTTPError(.notFound, detail: "there is no job 7") }
    try await withServer(router) { _, base, client in
      let error = await #expect(throws: ClientError.self) {
        for try await _ in client.events(ClientRequest(.get, base + "/events")) {}
      }
      #expect(error?.code == .unexpectedStatus)
      #expect(error?.problem?.detail == "there is no job 7")
    }
  }
}
