import Threads

/// Encodes and decodes long JSON on threads of its own, two at a time, because the facts of a project with thousands of
/// files take a good part of a second. Meanwhile, the few threads of the cooperative pool can answer other requests.
package enum LongCoding {
  /// The number of bytes up to which a value is encoded or decoded at once.
  private static let shortSize = 64 << 10

  private static let gate = Gate(2)

  /// Runs `work`, which encodes or decodes a value.
  ///
  /// - Parameter byteCount: the approximate size of its JSON.
  /// - Throws: `CancellationError` if the task is cancelled while it waits, or an error from `work`.
  package static func run<Value: Sendable>(
    byteCount: Int, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    guard byteCount > shortSize else { return try work() }
    try await gate.enter()
    defer { gate.leave() }
    return try await BlockingThread.run(named: "json", work)
  }
}
