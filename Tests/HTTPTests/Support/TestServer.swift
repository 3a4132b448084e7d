import Foundation
import HTTP
import Support

/// Runs `body` against a server with `router` on a free port, and shuts it down afterwards.
func withServer<T>(
  _ router: Router, configuration: ServerConfiguration? = nil,
  onError: @escaping @Sendable (any Error, RequestHead) -> Void = { _, _ in },
  now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
  _ body: (Server, String, Client) async throws -> T
) async throws -> T {
  let configuration = try configuration ?? ServerConfiguration()
  let server = try Server(configuration, router: router, onError: onError, now: now)
  let result: T
  do {
    result = try await body(
      server, "http://127.0.0.1:\(server.port)",
      Client(
        connectTimeout: longestWait, stallTimeout: longestWait, answerTimeout: longestWait))
  } catch {
    await server.shutdown(grace: .zero)
    throw error
  }
  await server.shutdown()
  return result
}

/// Runs `body` with the path of a directory that is removed afterwards.
func withDirectory<T>(_ body: (String) async throws -> T) async throws -> T {
  let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("sheaf-http-\(UUID().uuidString)").path
  try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: directory) }
  return try await body(directory)
}
