import Synchronization

/// Remembers since when the coordinator has refused the worker's token.
package final class TokenRefusals: Sendable {
  /// How long the token may be refused before the worker ends.
  package let patience: Duration
  private let stopwatch: @Sendable () -> Duration
  private let since = Mutex<Duration?>(nil)

  /// No refusals yet.
  package init(patience: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.patience = patience
    stopwatch = clock.stopwatch()
  }

  /// Notes a refusal.
  ///
  /// - Returns: how much longer the worker waits for another token; `nil` if it has waited long enough.
  func refused() -> Duration? {
    let now = stopwatch()
    let waited = since.withLock { since in
      since = since ?? now
      return now - (since ?? now)
    }
    return waited < patience ? patience - waited : nil
  }

  /// Notes that the coordinator accepted the token.
  func accepted() { since.withLock { $0 = nil } }
}

extension Clock where Duration == Swift.Duration {
  /// Tells how much time has passed since this call.
  func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
