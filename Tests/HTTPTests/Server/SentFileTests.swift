import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Files that a server sends.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SentFileTests {
  /// Whether the file of the last response is in use.
  private final class Last: Sendable {
    private struct Reference: Sendable { weak var use: OpenFile.Use? }
    private let reference = Mutex(Reference())

    func note(_ file: OpenFile?) { reference.withLock { $0.use = file?.use } }

    var isInUse: Bool { reference.withLock { $0.use != nil } }
  }

  private let scratch: TemporaryDirectory
  private let last = Last()

  init() throws {
    scratch = try TemporaryDirectory()
    // No socket holds all of it.
    #expect(FileManager.default.createFile(atPath: scratch.path("large"), contents: nil))
    #expect(truncate(scratch.path("large"), 64 << 20) == 0)
  }

  private var router: Router {
    var router = Router()
    router.get("/large") { [path = scratch.path("large"), last] request in
      let response = try Response.file(path: path, request: request, contentType: "text/plain")
      last.note(response.body.file)
      return response
    }
    return router
  }

  @Test func `a file is no longer in use after it has been sent`() async throws {
    try await withServer(router) { _, base, client in
      let response = try await client.download(
        ClientRequest(.get, base + "/large", timeout: longestWait), to: scratch.path("copy"))
      #expect(response.status == .ok)
      try await eventually("the use ends") {
        last.isInUse
      } satisfies: {
        !$0
      }
    }
  }

  @Test func `a file is in use until its client disconnects`() async throws {
    try await withServer(router) { server, _, _ in
      var connection: RawConnection? = try RawConnection(port: server.port)
      try connection?.send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(try await connection?.receive(through: "\r\n\r\n").contains("200 OK") == true)
      #expect(last.isInUse)
      connection = nil
      try await eventually("the use ends") {
        last.isInUse
      } satisfies: {
        !$0
      }
    }
  }
}
