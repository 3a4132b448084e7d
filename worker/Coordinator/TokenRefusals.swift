import Synchronization

/// Tracks how long the coordinator has refused the worker's token.
package final class TokenRefusals: Sendable {
  /// How long the token may be refused before the worker exits.
  package let patience: Duration
  private let stopwatch: @Sendable () -> Duration
  private let since = Mutex<Duration?>(nil)

  package init(patience: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.patience = patience
    stopwatch = clock.stopwatch()
  }

  /// Records a refusal.
  ///
  /// - Returns: how much longer the worker waits for a new token, or `nil` if it has waited long enough.
  func refused() -> Duration? {
    let now = stopwatch()
    let waited = since.withLock { since in
      since = since ?? now
      return now - (since ?? now)
    }
    return waited < patience ? patience - waited : nil
  }

  /// Records that the coordinator accepted the token.
  func accepted() { since.withLock { $0 = nil } }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that returns the time since this call.
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
