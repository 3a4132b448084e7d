import Crypto
import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Hashes and counts the received bytes, up to a limit.
final class HashingSink: BodySink {
  struct Tally: ~Copyable {
    var hasher: SHA256? = SHA256()
    var count = 0
    var largestPiece = 0
  }

  let tally = Mutex(Tally())
  let began = Signal<Void>()
  let abandoned = Signal<Int>()
  private let limit: Int

  init(limit: Int = .max) {
    self.limit = limit
  }

  var count: Int { tally.withLock { $0.count } }

  /// The digest of the received bytes. Call it once.
  var digest: Digest? { tally.withLock { $0.hasher.take()?.finalize() } }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try tally.withLock { tally in
      guard tally.count + bytes.count <= limit else {
        throw HTTPError(.insufficientStorage, detail: "full")
      }
      tally.count += bytes.count
      tally.largestPiece = max(tally.largestPiece, bytes.count)
      tally.hasher?.update(bytes)
    }
    began.send()
  }

  func abandon() { abandoned.send(count) }
}

@Suite(.mayBlock) struct UploadTests {
  private func router(_ sink: HashingSink) -> Router {
    var router = Router()
    router.upload(.put, "/assets/{digest}") { head in
      // Like the coordinator, this asks an actor before it accepts the body.
      await Task.yield()
      if head.headers["X-Refuse"] != nil { throw HTTPError(.conflict, detail: "it is there") }
      return sink
    } _: { head, sink in
      .text("\(try head.parameter("digest")) \(sink.count)")
    }
    return router
  }

  @Test func `a body of 64 MiB arrives complete, in pieces`() async throws {
    let sink = HashingSink()
    try await withDirectory { directory in
      let path = directory + "/content"
      let block = Data((0..<65536).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) })
      try Data().write(to: URL(fileURLWithPath: path))
      let writer = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
      for _ in 0..<1024 { try writer.write(contentsOf: block) }
      try writer.close()
      let sent = Mutex<Int64>(0)
      try await withServer(router(sink)) { _, base, client in
        let response = try await client.upload(
          ClientRequest(.put, base + "/assets/abc"), file: path
        ) { count in sent.withLock { $0 = count } }
        #expect(String(decoding: response.body, as: UTF8.self) == "abc \(64 << 20)")
        #expect(sent.withLock { $0 } == 64 << 20)
      }
      #expect(try sink.digest == Digest.of(file: path))
      #expect(sink.tally.withLock { $0.largestPiece } <= 64 << 10)
    }
  }

  @Test func `an upload can continue at an offset`() async throws {
    let sink = HashingSink()
    try await withDirectory { directory in
      let path = directory + "/content"
      try Data("0123456789".utf8).write(to: URL(fileURLWithPath: path))
      try await withServer(router(sink)) { _, base, client in
        _ = try await client.upload(
          ClientRequest(.put, base + "/assets/abc"), file: path, offset: 3, length: 4)
      }
      #expect(sink.digest == Digest.of(Array("3456".utf8)))
    }
  }

  @Test func `an empty upload reaches the handler`() async throws {
    try await withServer(router(HashingSink())) { _, base, client in
      let response = try await client.send(ClientRequest(.put, base + "/assets/abc"))
      #expect(String(decoding: response.body, as: UTF8.self) == "abc 0")
    }
  }

  @Test func `a rejection arrives before the body is sent`() async throws {
    let sink = HashingSink()
    try await withServer(router(sink)) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send(
        "PUT /assets/abc HTTP/1.1\r\nHost: x\r\nX-Refuse: 1\r\n"
          + "Content-Length: 1000000000\r\nExpect: 100-continue\r\n\r\n")
      let answer = try await connection.receive()
      #expect(answer.hasPrefix("HTTP/1.1 409 Conflict"))
      #expect(!answer.contains("100 Continue"))
      #expect(sink.count == 0)
    }
  }

  @Test func `100 Continue is sent after the upload is admitted`() async throws {
    try await withServer(router(HashingSink())) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send(
        "PUT /assets/abc HTTP/1.1\r\nHost: x\r\n"
          + "Content-Length: 4\r\nExpect: 100-continue\r\n\r\n")
      #expect(try await connection.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100 Continue"))
      try connection.send("abcd")
      #expect(try await connection.receive(through: "abc 4").contains("200 OK"))
    }
  }

  @Test(arguments: [10_000, 5_000_000])
  func `a client that does not wait for 100 Continue receives the rejection too`(_ count: Int)
    async throws
  {
    try await withServer(router(HashingSink())) { _, base, client in
      let request = ClientRequest(
        .put, base + "/assets/abc", headers: ["X-Refuse": "1", "Expect": ""],
        body: Data(count: count))
      let response = try await client.send(request)
      #expect(response.status == .conflict)
    }
  }

  @Test func `an incomplete upload is abandoned`() async throws {
    let sink = HashingSink()
    try await withServer(router(sink)) { server, _, _ in
      var connection: RawConnection? = try RawConnection(port: server.port)
      try connection?.send(
        "PUT /assets/abc HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n12345")
      connection = nil
      #expect(await sink.abandoned.value <= 5)
    }
  }

  @Test func `a failed write abandons the upload, and its error is the response`() async throws {
    let sink = HashingSink(limit: 100_000)
    try await withServer(router(sink)) { _, base, client in
      let response = try await client.send(
        ClientRequest(.put, base + "/assets/abc", body: Data(count: 3_000_000)))
      #expect(response.status == .insufficientStorage)
      #expect(await sink.abandoned.value <= 100_000)
    }
  }

  @Test func `an upload is abandoned when the server shuts down`() async throws {
    let sink = HashingSink()
    try await withServer(router(sink)) { server, _, _ in
      let connection = try RawConnection(port: server.port)
      try connection.send(
        "PUT /assets/abc HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n12345")
      await sink.began.value
      await server.shutdown(grace: .zero)
      #expect(await sink.abandoned.value <= 5)
    }
  }
}
