import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Tests requests to addresses that were checked before.
@Suite(.mayBlock) struct PinnedHostTests {
  private static let loopback = [InternetAddress("127.0.0.1")].compactMap(\.self)

  private static var router: Router {
    var router = Router()
    router.get("/host") { request in
      Response(.ok, body: .bytes(Data((request.headers["Host"] ?? "").utf8)))
    }
    return router
  }

  private func request(
    _ host: String, _ port: UInt16, at addresses: [InternetAddress]
  ) -> ClientRequest {
    ClientRequest(
      .get, "http://\(host):\(port)/host",
      pin: PinnedHost(host: host, port: port, addresses: addresses))
  }

  @Test func `an unknown name is requested at the given address`() async throws {
    try await withServer(Self.router) { server, _, client in
      let response = try await client.send(
        request("media.invalid", server.port, at: Self.loopback))
      #expect(String(decoding: response.body, as: UTF8.self) == "media.invalid:\(server.port)")
    }
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `the client connects only to the given addresses`(host: String) async throws {
    let others = [InternetAddress("127.0.0.2")].compactMap(\.self)
    try await withServer(Self.router) { server, _, client in
      // An open connection to another address must not be used either.
      _ = try await client.send(request(host, server.port, at: Self.loopback))
      let error = await #expect(throws: ClientError.self) {
        try await client.send(request(host, server.port, at: others))
      }
      #expect(error?.code == .couldNotConnect)
    }
  }

  /// Whether this host has IPv6.
  private static let hasSixth =
    (try? Server(ServerConfiguration(address: "::1"), router: Router())) != nil

  @Test(.enabled(if: hasSixth, "needs IPv6"))
  func `the client connects only to the given IPv6 address`() async throws {
    let address = try #require(InternetAddress("::1"))
    let other = try #require(InternetAddress("::2"))
    try await withServer(
      Self.router, configuration: ServerConfiguration(address: "::1")
    ) { server, _, client in
      let name = try await client.send(request("media.invalid", server.port, at: [address]))
      #expect(name.status == .ok)
      var pinned = request("::1", server.port, at: [address])
      pinned.url = "http://[::1]:\(server.port)/host"
      let number = try await client.send(pinned)
      #expect(number.status == .ok)
      pinned.pin = PinnedHost(host: "::1", port: server.port, addresses: [other])
      let refused = pinned
      await #expect(throws: ClientError.self) { try await client.send(refused) }
    }
  }

  @Test func `only the second request uses the resolver's second answer`()
    async throws
  {
    try await withServer(Self.router) { first, _, client in
      try await withServer(
        Router(), configuration: ServerConfiguration(address: "127.0.0.2", port: first.port)
      ) { _, _, _ in
        let name = "media.invalid"
        let one = try await client.send(request(name, first.port, at: Self.loopback))
        #expect(one.status == .ok)
        let other = [InternetAddress("127.0.0.2")].compactMap(\.self)
        #expect(try await client.send(request(name, first.port, at: other)).status == .notFound)
        let again = try await client.send(request(name, first.port, at: Self.loopback))
        #expect(again.status == .ok)
      }
    }
  }

  @Test func `a certificate must match the name, not the address`() async throws {
    let folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    let security = try ServerSecurity(
      certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))
    let configuration = try ServerConfiguration(security: security)
    try await withServer(Self.router, configuration: configuration) { server, _, _ in
      let client = Client(credentials: Credentials(authorityFile: files.path("ca.pem")))
      var secure = request("media.invalid", server.port, at: Self.loopback)
      secure.url = "https://media.invalid:\(server.port)/host"
      let request = secure
      let error = await #expect(throws: ClientError.self) { try await client.send(request) }
      #expect(error?.code == .secureConnectionFailed)
      let trusted = ClientRequest(.get, "https://127.0.0.1:\(server.port)/host")
      let answer = try await client.send(trusted)
      #expect(answer.status == .ok)
    }
  }

  private final class Sink: BodySink {
    let bytes = Mutex(Data())
    let isAbandoned = Mutex(false)
    let limit: Int

    struct Full: Error {}

    init(limit: Int) { self.limit = limit }

    func write(_ piece: UnsafeRawBufferPointer) throws {
      try bytes.withLock { bytes in
        guard bytes.count + piece.count <= limit else { throw Full() }
        bytes.append(contentsOf: piece)
      }
    }

    func abandon() { isAbandoned.withLock { $0 = true } }
  }

  @Test(.timeLimit(.minutes(15)))
  func `content is passed to the sink that is chosen from the head`() async throws {
    try await withServer(Self.router) { _, base, client in
      let (whole, full) = (Sink(limit: 100), Sink(limit: 3))
      let response = try await client.receive(ClientRequest(.get, base + "/host")) { head in
        #expect(head.status == .ok && head.body.isEmpty)
        return whole
      }
      #expect(response.status == .ok && response.body.isEmpty)
      #expect("http://" + String(decoding: whole.bytes.withLock { $0 }, as: UTF8.self) == base)
      #expect(!whole.isAbandoned.withLock { $0 })
      await #expect(throws: Sink.Full.self) {
        try await client.receive(ClientRequest(.get, base + "/host")) { _ in full }
      }
      // The client's thread abandons the sink when it releases the transfer.
      try await eventually("the sink is abandoned") { full.isAbandoned.withLock { $0 } }
      await #expect(throws: CancellationError.self) {
        try await client.receive(ClientRequest(.get, base + "/none")) { head in
          #expect(head.status == .notFound)
          throw CancellationError()
        }
      }
    }
  }
}
