import Foundation
import HTTP
import Support
import Testing

/// Responses in the gzip format, read with curl and gzip.
@Suite(.mayBlock) struct CompressionTests {
  private static let text = String(repeating: "one line of many\n", count: 5000)

  private static let sizes = [1023, 1024, 1 << 20, (1 << 20) + 1]

  private static let router: Router = {
    var router = Router()
    router.get("/text") { _ in .text(text) }
    router.get("/tagged") { request in
      .bytes(
        Data(text.utf8), request: request, contentType: "application/json; charset=utf-8",
        etag: "tag")
    }
    router.get("/digest") { _ in
      Response(
        .ok, headers: ["Content-Type": "application/json", "Content-Digest": "sha-256=:AA==:"],
        body: .bytes(Data(text.utf8)))
    }
    for size in sizes {
      router.get("/size/\(size)") { _ in .text(String(repeating: "x", count: size)) }
    }
    router.get("/picture") { _ in
      Response(.ok, headers: ["Content-Type": "image/jpeg"], body: .bytes(Data(text.utf8)))
    }
    return router
  }()

  /// The header and the content as curl sees them.
  private func get(_ path: String, _ options: [String] = []) async throws -> (String, Data) {
    try await withServer(Self.router) { _, base, _ in
      let folder = try TemporaryDirectory()
      let content = try Tool.run(
        "curl", ["-s", "-D", folder.path("head"), "\(base)\(path)"] + options)
      return (try String(contentsOfFile: folder.path("head"), encoding: .utf8), content)
    }
  }

  @Test(arguments: ["/text", "/tagged"]) func `text is compressed for a client that accepts gzip`(
    path: String
  ) async throws {
    let (head, content) = try await get(path, ["-H", "Accept-Encoding: gzip"])
    #expect(head.contains("Content-Encoding: gzip\r\n"))
    #expect(head.contains("Vary: Accept-Encoding\r\n"))
    #expect(head.contains("Content-Length: \(content.count)\r\n"))
    #expect(content.count < Self.text.utf8.count / 20)
    #expect(try Tool.run("gzip", ["-dc"], input: content) == Data(Self.text.utf8))
    let (_, unpacked) = try await get(path, ["--compressed"])
    #expect(unpacked == Data(Self.text.utf8))
  }

  @Test func `text is not compressed for a client that does not accept gzip`() async throws {
    let (head, content) = try await get("/text")
    #expect(!head.contains("Content-Encoding"))
    #expect(head.contains("Vary: Accept-Encoding\r\n"))
    #expect(content == Data(Self.text.utf8))
  }

  @Test(arguments: zip(sizes, [false, true, true, false]))
  func `text from 1 KiB to 1 MiB is compressed`(size: Int, isCompressed: Bool) async throws {
    let (head, content) = try await get("/size/\(size)", ["-H", "Accept-Encoding: gzip"])
    #expect(head.contains("Content-Encoding: gzip") == isCompressed)
    #expect(head.contains("Vary: Accept-Encoding") == isCompressed)
    #expect((content.count < size / 10) == isCompressed)
  }

  @Test func `a picture is not compressed`() async throws {
    let (head, content) = try await get("/picture", ["-H", "Accept-Encoding: gzip"])
    #expect(!head.contains("Content-Encoding"))
    #expect(!head.contains("Vary"))
    #expect(content == Data(Self.text.utf8))
  }

  @Test(arguments: [[], ["-H", "Accept-Encoding: gzip"]])
  func `text has the same weak tag in both forms, which If-None-Match accepts`(
    options: [String]
  ) async throws {
    let (head, _) = try await get("/tagged", options)
    let (again, content) = try await get(
      "/tagged", options + ["-H", "If-None-Match: W/\"tag\""])
    #expect(again.contains("304 Not Modified"))
    #expect(content.isEmpty)
    for head in [head, again] {
      #expect(head.contains("ETag: W/\"tag\"\r\n"))
      #expect(head.contains("Vary: Accept-Encoding\r\n"))
    }
  }

  @Test func `compressed text has no digest, which would be that of other bytes`() async throws {
    let (compressed, _) = try await get("/digest", ["-H", "Accept-Encoding: gzip"])
    #expect(compressed.contains("Content-Encoding: gzip"))
    #expect(!compressed.contains("Content-Digest"))
    let (plain, _) = try await get("/digest")
    #expect(plain.contains("Content-Digest: sha-256=:AA==:"))
  }

  @Test func `HEAD states the compressed length`() async throws {
    let (_, content) = try await get("/text", ["-H", "Accept-Encoding: gzip"])
    let (head, _) = try await get("/text", ["-I", "-H", "Accept-Encoding: gzip"])
    #expect(head.contains("Content-Encoding: gzip\r\n"))
    #expect(head.contains("Content-Length: \(content.count)\r\n"))
  }

  @Test func `the client asks for uncompressed responses`() async throws {
    var router = Router()
    router.get("/") { .text($0.headers["Accept-Encoding"] ?? "none") }
    try await withServer(router) { _, base, client in
      // Otherwise, a proxy may request gzip and decompress the response, which has lost its Content-Digest by then.
      let response = try await client.send(ClientRequest(.get, base + "/"))
      #expect(String(decoding: response.body, as: UTF8.self) == "identity")
    }
  }
}
