import Dispatch
import Foundation

/// Makes Ctrl-C, SIGTERM and SIGHUP cancel work in order instead of killing the process.
package enum Interruption {
  /// Runs `body` like ``guarding(_:)``, and says that something goes on if a signal stops it.
  static func guarding<Value: Sendable>(
    on console: Console, saying message: String,
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    do {
      return try await guarding(body)
    } catch let failure as CommandFailure where failure == .interrupted {
      console.report("sheaf: \(message)")
      throw failure
    }
  }

  /// Runs `body` and returns its value. A signal cancels its task.
  ///
  /// - Throws: ``CommandFailure/interrupted`` if a signal ended it.
  static func guarding<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let work = Task { try await body() }
    let queue = DispatchQueue(label: "signals")
    let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { work.cancel() }
      source.resume()
      return source
    }
    defer { for source in sources { source.cancel() } }
    do {
      return try await work.value
    } catch {
      throw work.isCancelled ? CommandFailure.interrupted : error
    }
  }
}
