import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct DownloadTests {
  private static let content = Data(
    (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 13 ^ $0 >> 8) })

  private func withContent(
    _ body: (_ directory: String, _ url: String, _ client: Client) async throws -> Void
  ) async throws {
    try await withDirectory { directory in
      let path = directory + "/source"
      try Self.content.write(to: URL(fileURLWithPath: path))
      var router = Router()
      router.get("/content") {
        try .file(path: path, request: $0, contentType: "video/mp4", etag: "tag")
      }
      router.get("/whole") { _ in Response(.ok, body: .bytes(Self.content)) }
      try await withServer(router) { _, base, client in try await body(directory, base, client) }
    }
  }

  @Test func `a download writes the content to the file`() async throws {
    try await withContent { directory, base, client in
      let target = directory + "/target"
      let size = Signal<Int64>()
      let response = try await client.download(
        ClientRequest(.get, base + "/content"), to: target
      ) { if $0 == Int64(Self.content.count) { size.send($0) } }
      #expect(response.status == .ok)
      #expect(try Data(contentsOf: URL(fileURLWithPath: target)) == Self.content)
      #expect(await size.value == 300_000)
    }
  }

  @Test(arguments: ["/content", "/whole"])
  func `a download continues where it stopped, or starts again`(_ path: String) async throws {
    try await withContent { directory, base, client in
      let target = URL(fileURLWithPath: directory + "/target")
      try Self.content[..<100_000].write(to: target)
      _ = try await client.download(
        ClientRequest(.get, base + path), to: target.path, from: 90_000)
      #expect(try Data(contentsOf: target) == Self.content)
    }
  }

  @Test func `an error response leaves the file unchanged`() async throws {
    try await withContent { directory, base, client in
      let target = directory + "/target"
      let response = try await client.download(ClientRequest(.get, base + "/none"), to: target)
      #expect(response.status == .notFound)
      #expect(response.problem?.detail == "there is nothing at /none")
      #expect(!FileManager.default.fileExists(atPath: target))
    }
  }

  @Test func `an error for a file that cannot be written names the file`() async throws {
    try await withContent { directory, base, client in
      let target = directory + "/none/target"
      let error = await #expect(throws: ClientError.self) {
        try await client.download(ClientRequest(.get, base + "/content"), to: target)
      }
      #expect(error?.code == .localFile)
      #expect(error?.message == "cannot write: \(target): No such file or directory")
    }
  }

  @Test func `an error for a file that cannot be read names the file`() async throws {
    try await withContent { directory, base, client in
      let error = await #expect(throws: ClientError.self) {
        try await client.upload(ClientRequest(.put, base + "/content"), file: directory + "/none")
      }
      #expect(error?.code == .localFile)
    }
  }
}
