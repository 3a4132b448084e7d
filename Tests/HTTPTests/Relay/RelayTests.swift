import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Connections that a relay passes on to a server.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct RelayTests {
  /// A relay, and the entrance of the server to which it passes connections on.
  private final class Passage: Sendable {
    let relay: Relay
    let port: UInt16
    private let entrance: RelayEntrance
    private let front: ListeningSocket
    private let back: ListeningSocket

    /// - Parameter key: the key that the relay uses; the entrance requires `right`.
    init(
      to server: Server, key: String = "right", isSecure: Bool = false, limit: Int = 1000,
      acceptsOnlyLocal: Bool = false
    ) throws {
      front = try ListeningSocket(address: "127.0.0.1", port: 0)
      back = try ListeningSocket(address: "127.0.0.1", port: 0)
      port = front.port
      entrance = try RelayEntrance(
        accepting: back, key: "right", for: server, acceptsOnlyLocal: acceptsOnlyLocal)
      relay = try Relay(
        accepting: front, to: try Self.target(back.port, key: key), isSecure: isSecure, limit: limit
      )
    }

    deinit {
      relay.stop()
      entrance.stop()
    }

    var base: String { "http://127.0.0.1:\(port)" }
    var entrancePort: UInt16 { back.port }
    var entranceTarget: RelayTarget { get throws { try Self.target(back.port, key: "right") } }

    static func target(_ port: UInt16, key: String) throws -> RelayTarget {
      RelayTarget(try #require(SocketPlace("127.0.0.1:\(port)")), key: key)
    }
  }

  private func text(_ response: ClientResponse) -> String {
    String(decoding: response.body, as: UTF8.self)
  }

  @Test func `requests, uploads, downloads, events and long polls pass through`() async throws {
    let content = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
    let (asked, go) = (Signal<Void>(), Signal<Void>())
    let (stream, source) = AsyncStream.makeStream(of: ServerSentEvent.self)
    var router = Router()
    router.get("/peer") { .text($0.peer) }
    router.get("/content") { _ in Response(.ok, body: .bytes(content)) }
    router.put("/content", bodyLimit: 16 << 20) { .text("\($0.body == content)") }
    router.get("/events") { _ in .events(stream) }
    router.get("/wait") { _ in
      asked.send()
      await go.value
      return Response(.noContent)
    }
    try await withServer(router) { server, _, client in
      let passage = try Passage(to: server)
      let base = passage.base
      async let waited = client.send(ClientRequest(.get, base + "/wait"))
      await asked.value
      for _ in 0..<3 {
        #expect(text(try await client.send(ClientRequest(.get, base + "/peer"))) == "127.0.0.1")
        #expect(try await client.send(ClientRequest(.get, base + "/content")).body == content)
        let upload = ClientRequest(.put, base + "/content", body: content)
        #expect(text(try await client.send(upload)) == "true")
      }
      source.yield(ServerSentEvent(data: "1"))
      for try await event in client.events(ClientRequest(.get, base + "/events")) {
        if event.data == "1" { source.yield(ServerSentEvent(data: "2")) } else { source.finish() }
      }
      go.send()
      #expect(try await waited.status == .noContent)
    }
  }

  @Test func `TLS is between the client and the server`() async throws {
    try await withDirectory { folder in
      let files = try Certificates(in: folder)
      let security = try ServerSecurity(
        certificateFile: files.path("server.pem"), keyFile: files.path("server.key"),
        clientAuthorityFile: files.path("ca.pem"))
      var router = Router()
      router.get("/") { .text("\($0.isSecure) \($0.hasTrustedCertificate) \($0.peer)") }
      try await withServer(router, configuration: ServerConfiguration(security: security)) {
        server, _, _ in
        let passage = try Passage(to: server, isSecure: true)
        let client = Client(
          credentials: Credentials(
            authorityFile: files.path("ca.pem"), certificateFile: files.path("client.pem"),
            keyFile: files.path("client.key")))
        let url = "https://127.0.0.1:\(passage.port)/"
        #expect(text(try await client.send(ClientRequest(.get, url))) == "true true 127.0.0.1")
        passage.relay.pass(to: nil)
        await #expect(throws: ClientError.self) {
          try await Client(credentials: Credentials(authorityFile: files.path("ca.pem")))
            .send(ClientRequest(.get, url))
        }
      }
    }
  }

  @Test func `without a server that can be reached, the response is 503`() async throws {
    try await withServer(Router()) { server, _, _ in
      let passage = try Passage(to: server)
      let silent = try SilentPort()
      for target in [nil, try Passage.target(silent.number, key: "right")] {
        passage.relay.pass(to: target)
        // A body that the client is still sending does not keep it from receiving the response.
        let request = ClientRequest(
          .put, passage.base, body: Data(repeating: 1, count: 3_000_000))
        let response = try await Client().send(request)
        #expect(response.status == .serviceUnavailable)
        #expect(response.headers["Retry-After"] == "1")
        #expect(response.problem?.detail.hasSuffix("try again") == true)
      }
    }
  }

  @Test func `more connections than the limit get 503`() async throws {
    var router = Router()
    router.get("/") { _ in Response(.noContent) }
    try await withServer(router) { server, _, client in
      let passage = try Passage(to: server, limit: 1)
      // The client keeps its connection open.
      #expect(try await client.send(ClientRequest(.get, passage.base)).status == .noContent)
      let other = try await Client().send(ClientRequest(.get, passage.base))
      #expect(other.status == .serviceUnavailable)
      #expect(other.problem?.detail.hasPrefix("too many connections") == true)
    }
  }

  @Test func `the entrance turns away whoever does not know its key`() async throws {
    var router = Router()
    router.get("/") { .text($0.peer) }
    try await withServer(router) { server, _, _ in
      let wrong = try Passage(to: server, key: "wrong")
      await #expect { try await Client().send(ClientRequest(.get, wrong.base)) } throws: {
        ($0 as? ClientError)?.code == .connectionLost
      }
      let direct = try RawConnection(port: wrong.entrancePort)
      try direct.send("GET / HTTP/1.1\r\nHost: x\r\n" + String(repeating: "A: b\r\n", count: 50))
      #expect(try await direct.receive() == "")
    }
  }

  @Test(arguments: [
    ("192.0.2.7", false, "192.0.2.7"), ("192.0.2.7", true, ""), ("127.0.0.9", true, "127.0.0.9"),
    ("::1", true, "::1"), ("farm.example", false, ""),
  ])
  func `a server that trusts its host serves only clients of this host`(
    address: String, acceptsOnlyLocal: Bool, expected: String
  ) async throws {
    var router = Router()
    router.get("/") { .text($0.peer) }
    try await withServer(router) { server, _, _ in
      let passage = try Passage(to: server, acceptsOnlyLocal: acceptsOnlyLocal)
      let connection = try RawConnection(port: passage.entrancePort)
      let introduction = try passage.entranceTarget.introduction(of: address)
      // The request may arrive together with the introduction.
      try connection.send(
        String(decoding: introduction, as: UTF8.self)
          + "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
      let answer = try await connection.receive()
      #expect(answer.contains("200 OK") == !expected.isEmpty)
      #expect(answer.hasSuffix(expected))
    }
  }

  @Test func `a client that disconnects ends its request at the server`() async throws {
    let (began, ended) = (Signal<Void>(), Signal<Void>())
    var router = Router()
    router.get("/") { _ in
      began.send()
      await withTaskCancellationHandler {
        await ended.value
      } onCancel: {
        ended.send()
      }
      return Response(.noContent)
    }
    try await withServer(router) { server, _, _ in
      let passage = try Passage(to: server)
      do {
        let connection = try RawConnection(port: passage.port)
        try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await began.value
      }
      await ended.value
    }
  }

  @Test func `new connections go to another server, and those to the first one are closed`()
    async throws
  {
    var (first, second) = (Router(), Router())
    first.get("/") { _ in .text("first") }
    second.get("/") { _ in .text("second") }
    try await withServer(first) { one, _, client in
      try await withServer(second) { other, _, _ in
        let (passage, away) = (try Passage(to: one), try Passage(to: other))
        let idle = try RawConnection(port: passage.port)
        #expect(text(try await client.send(ClientRequest(.get, passage.base))) == "first")
        passage.relay.pass(to: try away.entranceTarget)
        #expect(text(try await Client().send(ClientRequest(.get, passage.base))) == "second")
        #expect(try await idle.receive() == "")
      }
    }
  }

  @Test func `a server takes over the socket of a relay that is stopped`() async throws {
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    let base = "http://127.0.0.1:\(socket.port)"
    let relay = try Relay(accepting: socket, isSecure: false, limit: 10)
    let before = try await Client().send(ClientRequest(.get, base))
    #expect(before.status == .serviceUnavailable)
    relay.stop()
    var router = Router()
    router.get("/") { _ in .text("here") }
    let configuration = try ServerConfiguration(descriptor: dup(socket.descriptor))
    try await withServer(router, configuration: configuration) { _, _, _ in
      try await eventually("the server serves every connection") {
        for _ in 0..<20 {
          let answer = try? await Client().send(ClientRequest(.get, base))
          guard answer.map(text) == "here" else { return false }
        }
        return true
      }
    }
  }

  @Test(arguments: [
    ("10.0.0.1:7421", "10.0.0.1:7421"), ("[fd00::1]:1", "[fd00::1]:1"), ("fd00::1:1", nil),
    ("[10.0.0.1]:1", nil), ("host:1", nil), ("10.0.0.1", nil), ("10.0.0.1:70000", nil), ("", nil),
  ])
  func `a place is a numeric address and a port`(text: String, expected: String?) {
    #expect(SocketPlace(text).map { "\($0)" } == expected)
  }
}
