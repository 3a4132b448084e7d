import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct RangeReadTests {
  private static let content = Array("0123456789".utf8)

  /// Runs `body` on a separate thread, which blocking calls require.
  private func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }

  private func withContent(
    _ body: (_ url: String, _ client: Client) async throws -> Void
  ) async throws {
    try await withDirectory { directory in
      let path = directory + "/source"
      try Data(Self.content).write(to: URL(fileURLWithPath: path))
      var router = Router()
      router.get("/content") {
        try .file(path: path, request: $0, contentType: "video/mp4", etag: "tag")
      }
      router.get("/whole") { _ in Response(.ok, body: .bytes(Data(Self.content))) }
      try await withServer(router) { _, base, client in try await body(base, client) }
    }
  }

  @Test(arguments: [
    (0, 4, "0123"), (3, 1, "3"), (8, 2, "89"), (8, 5, "89"), (0, 100, "0123456789"), (10, 5, ""),
    (99, 5, ""), (4, 0, ""),
  ])
  func `a range is read, up to the end`(_ offset: Int, _ length: Int, _ text: String) async throws {
    try await withContent { base, client in
      let bytes = try await onThread {
        try client.readRange(base + "/content", offset: Int64(offset), length: length)
      }
      #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
  }

  @Test func `the size of the content is returned`() async throws {
    try await withContent { base, client in
      let size = try await onThread { try client.size(of: base + "/content") }
      #expect(size == 10)
    }
  }

  @Test(arguments: [("/none", ClientError.Code.unexpectedStatus), ("/whole", .invalidResponse)])
  func `a response without the requested range is an error`(
    _ path: String, _ code: ClientError.Code
  ) async throws {
    try await withContent { base, client in
      let error = await #expect(throws: ClientError.self) {
        try await onThread { try client.readRange(base + path, offset: 2, length: 4) }
      }
      #expect(error?.code == code)
    }
  }

  @Test func `several threads can read at the same time`() async throws {
    try await withContent { base, client in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<40 {
          group.addTask {
            let offset = number % 10
            return try await onThread {
              try (0..<20).allSatisfy { _ in
                try client.readRange(base + "/content", offset: Int64(offset), length: 1)
                  == [Self.content[offset]]
              }
            }
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
    }
  }
}
