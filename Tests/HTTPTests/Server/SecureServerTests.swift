import Foundation
import HTTP
import Support
import Testing

/// Tests TLS with certificates of the server and of clients.
@Suite(.mayBlock) struct SecureServerTests {
  private func withSecureServer(
    _ router: Router, _ body: (Certificates, Server, String) async throws -> Void
  ) async throws {
    try await withDirectory { folder in
      let files = try Certificates(in: folder)
      let security = try ServerSecurity(
        certificateFile: files.path("server.pem"), keyFile: files.path("server.key"),
        clientAuthorityFile: files.path("ca.pem"))
      let configuration = try ServerConfiguration(security: security)
      try await withServer(router, configuration: configuration) { server, _, _ in
        try await body(files, server, "https://127.0.0.1:\(server.port)")
      }
    }
  }

  private var facts: Router {
    var router = Router()
    router.get("/") { request in .text("\(request.isSecure) \(request.hasTrustedCertificate)") }
    return router
  }

  @Test func `a client that trusts the authority is served, and one that does not disconnects`()
    async throws
  {
    try await withSecureServer(facts) { files, _, base in
      let client = Client(credentials: Credentials(authorityFile: files.path("ca.pem")))
      let answer = try await client.send(ClientRequest(.get, base))
      #expect(String(decoding: answer.body, as: UTF8.self) == "true false")
      for other in [
        Client(), Client(credentials: Credentials(authorityFile: files.path("other.pem"))),
      ] {
        await #expect { try await other.send(ClientRequest(.get, base)) } throws: {
          ($0 as? ClientError)?.code == .secureConnectionFailed
        }
      }
    }
  }

  @Test(arguments: [("client", true), ("stranger", false), ("server", false)])
  func `a client's certificate is trusted only if the authority signed it for clients`(
    name: String, counts: Bool
  ) async throws {
    try await withSecureServer(facts) { files, _, base in
      let client = Client(
        credentials: Credentials(
          authorityFile: files.path("ca.pem"), certificateFile: files.path("\(name).pem"),
          keyFile: files.path("\(name).key")))
      let answer = try await client.send(ClientRequest(.get, base))
      #expect(String(decoding: answer.body, as: UTF8.self) == "true \(counts)")
    }
  }

  @Test func `long polls, event streams, uploads and file ranges work over TLS`() async throws {
    try await withDirectory { folder in
      let path = "\(folder)/content"
      let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) })
      try content.write(to: URL(fileURLWithPath: path))
      var router = Router()
      let (asked, go) = (Signal<Void>(), Signal<Void>())
      router.get("/wait") { _ in
        asked.send()
        await go.value
        return Response(.noContent)
      }
      router.get("/file") { request in
        try .file(path: path, request: request, contentType: "application/octet-stream")
      }
      let (stream, source) = AsyncStream.makeStream(of: ServerSentEvent.self)
      router.get("/events") { _ in .events(stream) }
      router.put("/", bodyLimit: 8 << 20) { request in .text("\(request.body == content)") }
      try await withSecureServer(router) { files, _, base in
        let client = Client(credentials: Credentials(authorityFile: files.path("ca.pem")))
        async let answer = client.send(ClientRequest(.get, base + "/wait"))
        await asked.value
        go.send()
        #expect(try await answer.status == .noContent)
        let whole = try await client.send(ClientRequest(.get, base + "/file"))
        #expect(whole.body == content)
        let part = try await client.send(
          ClientRequest(.get, base + "/file", headers: ["Range": "bytes=1000000-1000009"]))
        #expect(part.body == content[1_000_000..<1_000_010])
        // Each event is sent when the one before it has arrived.
        var events: [String] = []
        source.yield(ServerSentEvent(data: "0"))
        for try await event in client.events(ClientRequest(.get, base + "/events")) {
          events.append(event.data)
          if events.count < 5 {
            source.yield(ServerSentEvent(data: "\(events.count)"))
          } else {
            source.finish()
          }
        }
        #expect(events == ["0", "1", "2", "3", "4"])
        let upload = try await client.upload(ClientRequest(.put, base), file: path)
        #expect(String(decoding: upload.body, as: UTF8.self) == "true")
      }
    }
  }

  @Test func `plain HTTP gets no response on a TLS port`() async throws {
    try await withSecureServer(facts) { _, server, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await !connection.receive().contains("200"))
    }
  }

  @Test func `a server does not start if the key does not match the certificate`() async throws {
    try await withDirectory { folder in
      let files = try Certificates(in: folder)
      let security = try ServerSecurity(
        certificateFile: files.path("server.pem"), keyFile: files.path("client.key"))
      let configuration = try ServerConfiguration(security: security)
      #expect(throws: ServerError.self) { try Server(configuration, router: Router()) }
      #expect(throws: ServerError.self) {
        try ServerSecurity(certificateFile: "/none", keyFile: files.path("client.key"))
      }
    }
  }
}
