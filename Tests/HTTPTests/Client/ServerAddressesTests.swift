import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Requests to several servers that answer the same requests.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ServerAddressesTests {
  /// A server that answers every request with its name, after faults.
  private final class Named: Sendable {
    let server: ScriptedServer
    private let received: Received

    private final class Received: Sendable { let list = Mutex<[String]>([]) }

    /// - Parameter faults: the responses to the first requests; `nil` closes the connection without one.
    init(_ name: String, faults: [String?] = []) throws {
      let left = Mutex(faults[...])
      let received = Received()
      self.received = received
      server = try ScriptedServer { connection in
        while let request = connection.request() {
          received.list.withLock { $0.append("\(request.method) \(request.path)") }
          switch left.withLock({ $0.popFirst() }) {
          case nil:
            let body = request.method == "HEAD" ? "" : name
            connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(name.utf8.count)\r\n\r\n\(body)")
          case .some(nil): return
          case .some(.some(let answer)): connection.send(answer)
          }
        }
      }
    }

    deinit { server.close() }

    var requests: [String] { received.list.withLock(\.self) }
  }

  private static func answer(_ status: Int, _ type: String? = nil) -> String {
    let body = type.map { #"{"type": "\#($0)", "title": "t", "status": \#(status)}"# } ?? "none"
    return "HTTP/1.1 \(status) Whatever\r\nContent-Length: \(body.utf8.count)\r\nContent-Type: "
      + (type == nil ? "text/plain" : "application/problem+json") + "\r\n\r\n\(body)"
  }

  private func client(_ addresses: [String]) throws -> Client {
    Client(to: try #require(ServerAddresses(addresses)))
  }

  private func name(_ client: Client, _ path: String = "/") async throws -> String {
    String(decoding: try await client.send(ClientRequest(.post, path)).body, as: UTF8.self)
  }

  // MARK: - Addresses

  @Test(arguments: [
    (["http://127.0.0.1:7420"], true), (["https://localhost"], true),
    (["http://[::1]:7420"], true), (["http://farm.example:7420"], false),
    (["http://127.example.com"], false), (["http://192.0.2.1"], false),
    (["http://[2001:db8::1]:7420"], false),
    (["http://127.0.0.1:7420", "http://farm.example:7420"], false),
  ])
  func `addresses are on this host only if all are loopback addresses`(
    _ addresses: [String], isLocal: Bool
  ) {
    #expect(ServerAddresses(addresses)?.areLoopback == isLocal)
  }

  @Test func `addresses are listed once, without slashes at their ends`() {
    let addresses = ServerAddresses(["http://a:1/", "http://b:2", "http://a:1"])
    #expect(addresses?.all == ["http://a:1", "http://b:2"])
    #expect(addresses.map { "\($0)" } == "http://a:1, http://b:2")
    #expect(addresses?.current == "http://a:1")
    #expect(addresses?.address(in: "http://b:2/jobs") == "http://b:2")
    #expect(addresses?.address(in: "http://b:22/jobs") == "http://b:22/jobs")
  }

  @Test(arguments: [["http://a", "https://a"], ["http://a/farm", "http://b"]])
  func `addresses with different schemes or paths are rejected`(_ urls: [String]) {
    #expect(ServerAddresses(urls) == nil)
  }

  @Test func `a URL without an address is invalid if the client has no servers`() async throws {
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(ClientRequest(.get, "/jobs"))
    }
    #expect(error?.code == .invalidURL)
  }

  // MARK: - Addresses that cannot be reached

  @Test func `a request goes to the next address if no connection opens`() async throws {
    let silent = try SilentPort()
    let (second, third) = (try Named("second"), try Named("third"))
    let dead = "http://127.0.0.1:\(silent.number)"
    let client = try client([dead, second.server.origin, third.server.origin])
    #expect(try await name(client, "/a") == "second")
    #expect(client.servers.current == second.server.origin)
    second.server.close()
    try await eventually("the second server is gone") {
      (try? ScriptedConnection(to: second.server.port)) == nil
    }
    // The connection to the second server is lost, or does not open.
    _ = try? await name(client, "/b")
    #expect(try await name(client, "/c") == "third")
    #expect(client.servers.current == third.server.origin)
    withExtendedLifetime(silent) {}
  }

  @Test func `a request goes to the next address if a TLS handshake fails`() async throws {
    let folder = try TemporaryDirectory()
    let files = try Certificates(in: folder.path)
    let security = try ServerSecurity(
      certificateFile: files.path("server.pem"), keyFile: files.path("server.key"))
    let closing = try ScriptedServer { _ = $0.receive() }
    defer { closing.close() }
    var router = Router()
    router.post("/") { _ in .text("secure") }
    let configuration = try ServerConfiguration(security: security)
    try await withServer(router, configuration: configuration) { server, _, _ in
      let addresses = [closing.port, server.port].map { "https://127.0.0.1:\($0)" }
      let client = Client(
        to: try #require(ServerAddresses(addresses)),
        credentials: Credentials(authorityFile: files.path("ca.pem")))
      #expect(try await name(client) == "secure")
    }
  }

  @Test func `every kind of request goes to the next address`() async throws {
    let silent = try SilentPort()
    let live = try Named("live")
    let dead = "http://127.0.0.1:\(silent.number)"
    let addresses = [dead, live.server.origin]
    try await withDirectory { folder in
      let file = "\(folder)/file"
      try Data("abc".utf8).write(to: URL(fileURLWithPath: file))
      let upload = try await client(addresses).upload(ClientRequest(.put, "/put"), file: file)
      #expect(String(decoding: upload.body, as: UTF8.self) == "live")
      let download = try await client(addresses).download(
        ClientRequest(.get, "/get"), to: "\(folder)/got")
      #expect(download.url == "\(live.server.origin)/get")
      #expect(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/got")) == Data("live".utf8))
      _ = try await client(addresses).receive(ClientRequest(.get, "/sink")) { _ in Ignoring() }
    }
    let error = await #expect(throws: ClientError.self) {
      for try await _ in try client(addresses).events(ClientRequest(.get, "/events")) {}
    }
    #expect(error?.status == .ok, "the response is not an event stream")
    let blocking = try (0..<4).map { _ in try client(addresses) }
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = try? blocking[0].sendAndWait(ClientRequest(.get, "/wait"))
        #expect((try? blocking[1].size(of: "/size")) == 4)
        _ = try? blocking[2].readRange("/range", offset: 0, length: 4)
        _ = try? blocking[3].downloadAndWait(ClientRequest(.get, "/load"), to: "/dev/null")
        continuation.resume()
      }
    }
    #expect(
      live.requests == [
        "PUT /put", "GET /get", "GET /sink", "GET /events", "GET /wait", "HEAD /size",
        "GET /range", "GET /load",
      ])
    withExtendedLifetime(silent) {}
  }

  private final class Ignoring: BodySink {
    func write(_ piece: UnsafeRawBufferPointer) {}
    func abandon() {}
  }

  @Test func `the error names every address if none can be reached`() async throws {
    let silent = [try SilentPort(), try SilentPort()]
    let dead = silent.map { "http://127.0.0.1:\($0.number)" }
    let client = try client(dead)
    for _ in 0..<2 {
      let error = await #expect(throws: ClientError.self) { try await name(client, "/jobs") }
      #expect(error?.code == .couldNotConnect && error?.mayHaveArrived == false)
      for address in dead { #expect(error?.message.contains("\(address)/jobs: ") == true) }
      #expect(error?.message.hasPrefix("POST failed: \(dead[0])/jobs: ") == true)
      #expect(client.servers.current == dead[0])
    }
    withExtendedLifetime(silent) {}
  }

  @Test func `a host that does not respond leaves time for the next address`() async throws {
    let full = try FullPort()
    let live = try Named("live")
    let client = try client(["http://127.0.0.1:\(full.number)", live.server.origin])
    let response = try await client.send(ClientRequest(.get, "/", timeout: .seconds(20)))
    #expect(response.url == "\(live.server.origin)/")
    withExtendedLifetime(full) {}
  }

  @Test func `the addresses of a name are tried one after another`() async throws {
    let live = try Named("live")
    let port = live.server.port
    let addresses = ["127.0.0.3", "127.0.0.2", "127.0.0.1"].compactMap { InternetAddress($0) }
    let response = try await Client().send(
      ClientRequest(
        .post, "http://farm.invalid:\(port)/",
        pin: PinnedHost(host: "farm.invalid", port: port, addresses: addresses)))
    #expect(response.status == .ok)
    #expect(live.requests == ["POST /"])
  }

  // MARK: - Servers that fail

  @Test(arguments: [
    nil, "SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx",
  ])
  func
    `a request that may have arrived is not sent again, and the next one goes to the next address`(
      _ answer: String?
    ) async throws
  {
    let first = try Named("first", faults: [answer])
    let second = try Named("second")
    let client = try client([first.server.origin, second.server.origin])
    let error = await #expect(throws: ClientError.self) {
      try await client.send(ClientRequest(.post, "/a", timeout: .seconds(10)))
    }
    #expect(error?.url == "\(first.server.origin)/a" && error?.mayHaveArrived == true)
    #expect(second.requests == [])
    #expect(try await name(client, "/b") == "second")
    #expect(first.requests == ["POST /a"] && second.requests == ["POST /b"])
  }

  @Test func `a request on an open connection that breaks is not sent again`() async throws {
    let first = try Named("first", faults: [Self.answer(200), nil])
    let second = try Named("second")
    let client = try client([first.server.origin, second.server.origin])
    #expect(try await name(client, "/a") == "none")
    await #expect(throws: ClientError.self) { try await name(client, "/b") }
    #expect(try await name(client, "/c") == "second")
    #expect(first.requests == ["POST /a", "POST /b"] && second.requests == ["POST /c"])
  }

  @Test func `requests go back to the first address after the last one`() async throws {
    let first = try Named("first", faults: [nil])
    let second = try Named("second", faults: [nil])
    let client = try client([first.server.origin, second.server.origin])
    for _ in 0..<2 { await #expect(throws: ClientError.self) { try await name(client) } }
    #expect(try await name(client) == "first")
  }

  @Test(arguments: [(502, nil), (503, nil), (504, nil), (503, "about:blank")])
  func `the request after a proxy's refusal goes to the next address`(
    _ status: Int, _ type: String?
  ) async throws {
    let first = try Named("first", faults: [Self.answer(status, type)])
    let second = try Named("second")
    let client = try client([first.server.origin, second.server.origin])
    let response = try await client.send(ClientRequest(.post, "/a"))
    #expect(response.status.rawValue == status)
    #expect(try await name(client, "/b") == "second")
    #expect(second.requests == ["POST /b"])
  }

  @Test(arguments: [(503, "/problems/unavailable"), (404, nil), (500, nil)])
  func `another refusal keeps the address`(_ status: Int, _ type: String?) async throws {
    let first = try Named("first", faults: [Self.answer(status, type)])
    let second = try Named("second")
    let client = try client([first.server.origin, second.server.origin])
    _ = try await client.send(ClientRequest(.post, "/a"))
    #expect(try await name(client, "/b") == "first")
    #expect(second.requests == [])
  }

  @Test func `an absolute URL does not change the address in use`() async throws {
    let first = try Named("first")
    let second = try Named("second", faults: [nil])
    let client = try client([first.server.origin, second.server.origin])
    await #expect(throws: ClientError.self) { try await name(client, "\(first.server.origin)0/") }
    await #expect(throws: ClientError.self) { try await name(client, "\(second.server.origin)/") }
    #expect(try await name(client) == "first")
  }
}
