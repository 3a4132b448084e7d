import Foundation
import HTTP
import Support
import Synchronization
import Testing

/// Tests that requests are sent only once. By default, libcurl repeats a request if a reused connection turns out to be
/// dead.
@Suite(.mayBlock) struct SingleRequestTests {
  /// Answers the first request on a connection, and closes the connection at the second one without a response.
  private func server(_ received: Received) throws -> ScriptedServer {
    try ScriptedServer { connection in
      while let request = connection.request() {
        received.note(request)
        guard request.path == "/first" || received.requests.count > 2 else { return }
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
  }

  private final class Received: Sendable {
    private let list = Mutex<[ScriptedRequest]>([])
    func note(_ request: ScriptedRequest) { list.withLock { $0.append(request) } }
    var requests: [ScriptedRequest] { list.withLock { $0 } }
  }

  @Test(arguments: [HTTP.Method.get, .post, .put, .delete], [0, 100])
  func `a request whose connection breaks is not sent again`(
    _ method: HTTP.Method, _ bodySize: Int
  ) async throws {
    let received = Received()
    let server = try server(received)
    defer { server.close() }
    let client = Client()
    _ = try await client.send(ClientRequest(.get, server.origin + "/first"))
    let error = await #expect(throws: ClientError.self) {
      try await client.send(
        ClientRequest(
          method, server.origin + "/second", body: bodySize > 0 ? Data(count: bodySize) : nil))
    }
    #expect(error?.code == .connectionLost)
    #expect(received.requests.map(\.path) == ["/first", "/second"])
  }

  @Test func `a blocking read whose connection breaks is not sent again`() async throws {
    let received = Received()
    let server = try server(received)
    defer { server.close() }
    let client = Client()
    let error = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = try? client.size(of: server.origin + "/first")
        do throws(ClientError) {
          _ = try client.readRange(server.origin + "/second", offset: 0, length: 9)
          continuation.resume(returning: nil as ClientError?)
        } catch {
          continuation.resume(returning: error)
        }
      }
    }
    #expect(error?.code == .connectionLost)
    #expect(received.requests.map(\.path) == ["/first", "/second"])
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "HTTP/9 what\r\n\r\n", "\u{0}\u{1}\u{2}\n"])
  func `a response that is not HTTP is an invalid response`(_ answer: String) async throws {
    let server = try ScriptedServer { connection in
      _ = connection.request()
      connection.send(answer)
    }
    defer { server.close() }
    let error = await #expect(throws: ClientError.self) {
      try await Client().send(ClientRequest(.get, server.origin + "/"))
    }
    #expect(error?.code == .invalidResponse)
  }

  @Test func `a connection is reused`() async throws {
    let connections = Mutex(0)
    let counting = try ScriptedServer { connection in
      connections.withLock { $0 += 1 }
      while connection.request() != nil {
        connection.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
      }
    }
    defer { counting.close() }
    let client = Client()
    for _ in 0..<3 { _ = try await client.send(ClientRequest(.post, counting.origin + "/")) }
    #expect(connections.withLock { $0 } == 1)
  }
}
