import Foundation

/// Runs blocking work on a thread of its own, off the cooperative pool.
package enum BlockingThread {
  /// The value of `work`, or the error that it throws.
  package static func run<Value: Sendable>(
    named name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let thread = Thread { continuation.resume(with: Result { try work() }) }
      thread.name = name
      thread.stackSize = 8 << 20
      thread.start()
    }
  }
}
