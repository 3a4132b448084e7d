import Foundation
import HTTP
import Support
import Testing

/// The protocols and ciphers that a server accepts, tested with `openssl s_client`.
@Suite(.mayBlock) struct TransportSecurityTests {
  /// Runs `body` against a server with an RSA key, which would allow key exchanges without forward secrecy.
  private func withServer(_ body: (Server, _ authority: String) async throws -> Void) async throws {
    let folder = try TemporaryDirectory()
    let (key, certificate) = (folder.path("key"), folder.path("certificate"))
    try Tool.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=farm",
        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
      ])
    var router = Router()
    router.get("/") { _ in .text("served") }
    let server = try Server(
      ServerConfiguration(
        security: ServerSecurity(certificateFile: certificate, keyFile: key)), router: router)
    try await body(server, certificate)
    await server.shutdown(grace: .zero)
  }

  /// The protocol and cipher of a handshake with options, or `nil` if it failed.
  private func handshake(_ server: Server, _ options: [String]) -> String? {
    let arguments = ["s_client", "-connect", "127.0.0.1:\(server.port)", "-brief"] + options
    guard let outcome = try? Tool.output(of: "openssl", arguments, input: Data()) else {
      return nil
    }
    let lines = outcome.standardError.split(separator: "\n")
    let values = ["Protocol version: ", "Ciphersuite: "].compactMap { name in
      lines.first { $0.hasPrefix(name) }.map { $0.dropFirst(name.count) }
    }
    return values.count == 2 ? values.joined(separator: " ") : nil
  }

  @Test func `only current TLS versions with forward secrecy are accepted`()
    async throws
  {
    try await withServer { server, _ in
      let old = "DEFAULT@SECLEVEL=0"
      #expect(handshake(server, ["-tls1_3"])?.hasPrefix("TLSv1.3") == true)
      for cipher in ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384"] {
        #expect(handshake(server, ["-tls1_2", "-cipher", cipher]) == "TLSv1.2 \(cipher)")
      }
      for refused in [
        ["-tls1_2", "-cipher", "kRSA:@SECLEVEL=0"], ["-tls1_2", "-cipher", "AES128-GCM-SHA256"],
        ["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA"],
        ["-tls1_2", "-cipher", "aNULL:@SECLEVEL=0"],
        ["-tls1_1", "-cipher", old], ["-tls1", "-cipher", old],
      ] {
        #expect(handshake(server, refused) == nil, "\(refused)")
      }
    }
  }

  @Test func `Strict-Transport-Security is sent over TLS only`() async throws {
    try await withServer { server, authority in
      let client = Client(credentials: Credentials(authorityFile: authority))
      for path in ["/", "/nowhere"] {
        let response = try await client.send(
          ClientRequest(.get, "https://127.0.0.1:\(server.port)\(path)"))
        #expect(response.headers["Strict-Transport-Security"] == "max-age=31536000", "\(path)")
      }
    }
    var router = Router()
    router.get("/") { _ in .text("served") }
    try await HTTPTests.withServer(router) { _, base, client in
      let response = try await client.send(ClientRequest(.get, base))
      #expect(response.headers["Strict-Transport-Security"] == nil)
    }
  }

  @Test func `an ambiguous request is rejected over TLS too`() async throws {
    try await withServer { server, _ in
      for (head, status) in [
        ("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "200"),
        ("GET / HTTP/1.1\r\nHost: x\nConnection: close\r\n\r\n", "400"),
        ("GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n", "400"),
      ] {
        let answer = try Tool.run(
          "openssl",
          ["s_client", "-connect", "127.0.0.1:\(server.port)", "-quiet", "-ign_eof", "-no_ign_eof"]
            .dropLast() + ["-nocommands"], input: Data(head.utf8))
        #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 \(status) "))
      }
    }
  }
}
