import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct FileResponseTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let headers: Headers
    let status: Status
    let content: String
    let contentRange: String?

    var testDescription: String {
      headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")
    }

    init(_ headers: Headers, _ status: Status, _ content: String, _ contentRange: String? = nil) {
      self.headers = headers
      self.status = status
      self.content = content
      self.contentRange = contentRange
    }
  }

  static let cases: [Case] = [
    Case([:], .ok, "0123456789"),
    Case(["Range": "bytes=2-4"], .partialContent, "234", "bytes 2-4/10"),
    Case(["range": "bytes=-3"], .partialContent, "789", "bytes 7-9/10"),
    Case(["Range": "bytes=7-"], .partialContent, "789", "bytes 7-9/10"),
    Case(["Range": "bytes=0-1,3-4"], .ok, "0123456789"),
    Case(["Range": "lines=0-1"], .ok, "0123456789"),
    Case(["Range": "bytes=2-4", "If-Range": "\"tag\""], .partialContent, "234", "bytes 2-4/10"),
    Case(["Range": "bytes=2-4", "If-Range": "\"other\""], .ok, "0123456789"),
    Case(["Range": "bytes=2-4", "If-Range": "W/\"tag\""], .ok, "0123456789"),
    Case(["Range": "bytes=2-4", "If-Range": "Fri, 20 Nov 2026 15:00:00 GMT"], .ok, "0123456789"),
    Case(["If-None-Match": "\"tag\""], .notModified, ""),
    Case(["If-None-Match": "\"a\", W/\"tag\" "], .notModified, ""),
    Case(["If-None-Match": "*"], .notModified, ""),
    Case(["If-None-Match": "\"other\""], .ok, "0123456789"),
    Case(["If-None-Match": "\"tag\"", "Range": "bytes=2-4"], .notModified, ""),
  ]

  private func withFile(
    _ content: String, _ body: (String, Client) async throws -> Void
  ) async throws {
    try await withDirectory { directory in
      let path = directory + "/content"
      try Data(content.utf8).write(to: URL(fileURLWithPath: path))
      var router = Router()
      router.get("/content") {
        try .file(path: path, request: $0, contentType: "video/mp4", etag: "tag")
      }
      router.get("/missing") {
        try .file(path: directory + "/missing", request: $0, contentType: "video/mp4")
      }
      router.get("/directory") {
        try .file(path: directory, request: $0, contentType: "video/mp4")
      }
      try await withServer(router) { _, base, client in try await body(base, client) }
    }
  }

  @Test(arguments: cases)
  func `a file is sent as the request headers specify`(_ example: Case) async throws {
    try await withFile("0123456789") { base, client in
      let response = try await client.send(
        ClientRequest(.get, base + "/content", headers: example.headers))
      #expect(response.status == example.status)
      #expect(String(decoding: response.body, as: UTF8.self) == example.content)
      #expect(response.headers["Content-Range"] == example.contentRange)
      #expect(response.headers["ETag"] == "\"tag\"")
      #expect(response.headers["Accept-Ranges"] == "bytes")
    }
  }

  @Test func `a range beyond the end is a 416 with the size`() async throws {
    try await withFile("0123456789") { base, client in
      let response = try await client.send(
        ClientRequest(.get, base + "/content", headers: ["Range": "bytes=10-"]))
      #expect(response.status == .rangeNotSatisfiable)
      #expect(response.headers["Content-Range"] == "bytes */10")
      #expect(response.problem?.status == 416)
    }
  }

  @Test func `HEAD returns the size and sends no content`() async throws {
    try await withFile("0123456789") { base, client in
      let response = try await client.send(ClientRequest(.head, base + "/content"))
      #expect(response.status == .ok)
      #expect(response.headers["content-length"] == "10")
      #expect(response.headers["Content-Type"] == "video/mp4")
      #expect(response.body.isEmpty)
    }
  }

  @Test func `an empty file is sent`() async throws {
    try await withFile("") { base, client in
      let response = try await client.send(ClientRequest(.get, base + "/content"))
      #expect(response.status == .ok)
      #expect(response.headers["content-length"] == "0")
    }
  }

  @Test(arguments: ["/missing", "/directory"])
  func `a path without a regular file is a 404`(_ path: String) async throws {
    try await withFile("") { base, client in
      let response = try await client.send(ClientRequest(.get, base + path))
      #expect(response.status == .notFound)
    }
  }
}
