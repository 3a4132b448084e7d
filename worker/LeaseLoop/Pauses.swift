import Foundation

/// How a worker waits: the clock, and the growth of waits between tries.
package struct Pauses: Sendable {
  private let clock: any Clock<Duration>
  private let backoff: Backoff
  /// How long a render that was told to stop is waited for.
  let stopPatience: Duration

  /// Waits on a clock, beginning with a fresh backoff for every call that is tried again.
  package init(
    clock: any Clock<Duration> = ContinuousClock(), backoff: Backoff = Backoff(),
    stopPatience: Duration = .seconds(5)
  ) {
    self.clock = clock
    self.backoff = backoff
    self.stopPatience = stopPatience
  }

  /// Waits for a length of time.
  package func wait(_ duration: Duration) async throws { try await clock.sleep(for: duration) }

  /// Repeats a call while it fails for a reason that passes: as a rule, that the coordinator is unavailable.
  ///
  /// - Throws: any other error; `CancellationError`.
  package func retrying<Value: Sendable>(
    _ what: String, log: EventLog,
    while isPassing: @Sendable (any Error) -> Bool = CoordinatorError.isPassing,
    _ call: @Sendable () async throws -> Value
  ) async throws -> Value {
    var backoff = backoff
    while true {
      try Task.checkCancellation()
      do {
        return try await call()
      } catch let error where isPassing(error) {
        let wait = backoff.next()
        log.record("waiting", ["for": what, "because": "\(error)", "seconds": wait.inSeconds])
        try await self.wait(wait)
      }
    }
  }
}

extension Duration {
  /// The length in seconds with one decimal.
  var inSeconds: String {
    let (seconds, attoseconds) = components
    return String(format: "%.1f", Double(seconds) + Double(attoseconds) / 1e18)
  }
}
