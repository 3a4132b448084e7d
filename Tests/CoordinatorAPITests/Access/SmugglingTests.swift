import CoordinatorSupport
import FarmAPI
import Foundation
import HTTP
import Support
import Testing
import sheaf_coordinator

/// Requests that are hidden in other requests and sent through real proxies that forbid them.
@Suite(.mayBlock, .serialized, .timeLimit(.minutes(15))) struct SmugglingTests {
  /// The path that the proxy forbids and the hidden request uses. If the request got through, it would register a
  /// worker.
  private static let forbidden = "/api/v1/workers"

  /// Requests that contain a hidden one. At least one known pair of programs disagrees about the end of each.
  private static func attacks(hiding hidden: String) -> [String] {
    let count = hidden.utf8.count
    let size = String(count, radix: 16)
    let start = "POST /session HTTP/1.1\r\nHost: farm\r\nContent-Type: application/json\r\n"
    let chunked = "Transfer-Encoding: chunked\r\n"
    let end = "0\r\n\r\n"
    var attacks = [
      // Two lengths.
      start + "Content-Length: \(count)\r\nContent-Length: 0\r\n\r\n" + hidden,
      start + "Content-Length: 0\r\nContent-Length: \(count)\r\n\r\n" + hidden,
      start + "Content-Length: 0, \(count)\r\n\r\n" + hidden,
      start + "Content-Length: \(count)\r\nContent-Length : 0\r\n\r\n" + hidden,
      // A length and a coding, in either order.
      start + "Content-Length: \(end.count + count)\r\n" + chunked + "\r\n" + end + hidden,
      start + chunked + "Content-Length: \(size.count + 2)\r\n\r\n\(size)\r\n" + hidden + "\r\n"
        + end,
      start + "Content-Length: \(count)\r\n" + chunked + "\r\n" + end + hidden,
      // A body that must not become the next request if the first one is refused early.
      start + "Expect: 100-continue\r\nContent-Length: \(count)\r\n\r\n" + hidden,
      "GET /healthz HTTP/1.1\r\nHost: farm\r\nContent-Length: \(count)\r\n\r\n" + hidden,
      "POST /api/v1/jobs HTTP/1.1\r\nHost: farm\r\nContent-Length: \(count)\r\n\r\n" + hidden,
      "GET /healthz HTTP/1.0\r\nHost: farm\r\nConnection: keep-alive\r\nContent-Length: \(count)\r\n\r\n"
        + hidden,
      // Chunked bodies that programs end at different places.
      start + chunked + "\r\n0;a\nb\r\n\r\n" + hidden,
      start + chunked + "\r\n0\n\n" + hidden,
      start + chunked + "\r\n2\r\nabX0\r\n\r\n" + hidden,
      start + chunked + "\r\n10000000000000000\r\n" + hidden,
      start + chunked + "\r\n0\r\nX: y\n\n" + hidden,
      start + chunked + "\r\n0\r\n Content-Length: 5\r\n\r\n" + hidden,
    ]
    // A coding that one program sees and another does not.
    for coding in [
      "Transfer-Encoding : chunked", "Transfer-Encoding\t: chunked", "Transfer-Encoding:\tchunked",
      "Transfer-Encoding: xchunked", "Transfer-Encoding: chunked, identity",
      "Transfer-Encoding: identity, chunked", "Transfer-Encoding: \"chunked\"",
      "Transfer-Encoding:\u{0b}chunked", "Transfer-Encoding: chunked\0",
      " Transfer-Encoding: chunked",
      "X: y\nTransfer-Encoding: chunked", "X: y\rTransfer-Encoding: chunked",
      "X: y\0\nTransfer-Encoding: chunked", "Transfer-Enc: chunked\r\n oding",
      "Transfer-Encoding:\r\n chunked",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
      "Transfer\u{2d}Encoding: CHUNKED",
      "Transfer_Encoding: chunked",
    ] {
      attacks.append(
        start + "Content-Length: \(end.count + count)\r\n\(coding)\r\n\r\n" + end + hidden)
      attacks.append(start + "\(coding)\r\n\r\n" + end + hidden)
    }
    // A length that one program sees and another does not.
    for length in [
      "Content-Length : \(count)", "Content-Length: +\(count)", "Content-Length:\u{0c}\(count)",
      "Content-Length: \(count)\0", "X: y\nContent-Length: \(count)",
      "Content-Leng: \(count)\r\n th",
      "Content-Length: 0x\(size)", "Content_Length: \(count)", "Content-Length: -\(count)",
      "Content-Length: 18446744073709551616",
    ] {
      attacks.append(start + "\(length)\r\n\r\n" + hidden)
    }
    return attacks
  }

  @Test(arguments: ReverseProxy.Kind.allCases)
  func `no proxy passes on a hidden request or mixes up responses`(
    _ kind: ReverseProxy.Kind
  ) async throws {
    let farm = try await TestFarm(access: .tokens)
    let worker = try TokenHolder(.worker, "rack", of: farm)
    let admin = try TokenHolder(.admin, "root", of: farm)
    let server = try Server(ServerConfiguration(), router: farm.coordinator.router)
    let proxy = try ReverseProxy(kind, to: server.port, forbidding: Self.forbidden)
    let body = #"{"fingerprint":"x","name":"hidden","slots":1}"#
    let hidden =
      "POST \(Self.forbidden) HTTP/1.1\r\nHost: farm\r\nAuthorization: Bearer \(worker.token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    // Without the proxy, the hidden request registers a worker, so the test can fail.
    let direct = try RawConnection(port: server.port)
    try direct.send(hidden)
    #expect(try await direct.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 201 "))
    #expect(try await Self.workers(admin) == 1)
    let forbidden = try RawConnection(port: proxy.port)
    try forbidden.send(hidden)
    #expect(try await forbidden.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 403 "))

    let client = Client()
    let attacks = Self.attacks(hiding: hidden)
    for (number, attack) in attacks.enumerated() {
      let attacker = try RawConnection(port: proxy.port, patience: 150)
      try attacker.send(attack)
      _ = try? await attacker.receive()
      for victim in 0..<3 {
        let id = "victim-\(number)-\(victim)"
        let response = try await client.send(
          ClientRequest(
            .get, "http://127.0.0.1:\(proxy.port)/api/v1/jobs/\(id)",
            headers: ["Authorization": "Bearer \(admin.token)"]))
        #expect(response.status == .notFound, "\(attack)")
        #expect(response.problem?.detail.contains("'\(id)'") == true, "\(attack)")
      }
      #expect(try await Self.workers(admin) == 1, "hidden in \(attack)")
    }
    await server.shutdown(grace: .zero)
    // A proxy may have passed on a request after the look that followed its attack. No more can arrive now.
    #expect(try await Self.workers(admin) == 1)
  }

  private static func workers(_ admin: TokenHolder) async throws -> Int {
    try await admin.send(.get, "/workers").wire(as: [WorkerStatus].self).count
  }
}
