import FarmAPI
import Foundation
import Synchronization

/// Controls how a worker waits between tries: the clock, the growing waits and the log. All calls of a worker share one
/// object.
package final class Pauses: Sendable {
  private let clock: any Clock<Duration>
  private let stopwatch: @Sendable () -> Duration
  private let backoff: Backoff
  /// The time to wait for a render that was asked to stop.
  let stopPatience: Duration
  private let troubles = Mutex(Troubles())

  /// Creates waits on a clock. Each call that is retried starts with a copy of `backoff`.
  package init(
    clock: any Clock<Duration> = ContinuousClock(), backoff: Backoff = Backoff(),
    stopPatience: Duration = .seconds(5)
  ) {
    self.clock = clock
    stopwatch = clock.stopwatch()
    self.backoff = backoff
    self.stopPatience = stopPatience
  }

  /// Waits for a length of time.
  package func wait(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

  /// A new backoff for a loop of the caller.
  func freshBackoff() -> Backoff { backoff }

  /// The time since this object was created.
  var now: Duration { stopwatch() }

  /// Repeats a call while it fails for a temporary reason: by default, because the coordinator is unavailable.
  ///
  /// - Throws: any other error; `CancellationError`.
  package func retrying<Value: Sendable>(
    _ what: String, log: Log,
    while isPassing: @Sendable (any Error) -> Bool = CoordinatorError.isPassing,
    _ call: @Sendable () async throws -> Value
  ) async throws -> Value {
    var backoff = backoff
    while true {
      try Task.checkCancellation()
      do {
        let value = try await call()
        works(what, log: log)
        return value
      } catch let error where isPassing(error) {
        fails("waiting", what, because: error, log: log)
        try await wait(backoff.next())
      }
    }
  }

  /// Logs that a call failed, unless the same failure was logged recently.
  func fails(_ event: String, _ what: String, because error: any Error, log: Log) {
    let isNews = troubles.withLock { $0.note(what, "\(error)", at: now) }
    if isNews { log.error(event, ["for": what, "because": "\(error)"]) }
  }

  /// Logs that a call works again, if it had failed.
  func works(_ what: String, log: Log) {
    guard let length = troubles.withLock({ $0.settle(what, at: now) }) else { return }
    log.info("recovered", ["for": what, "after-seconds": length.inSeconds])
  }
}

extension Duration {
  /// The length in seconds with one decimal.
  var inSeconds: String {
    let (seconds, attoseconds) = components
    return String(format: "%.1f", Double(seconds) + Double(attoseconds) / 1e18)
  }
}
