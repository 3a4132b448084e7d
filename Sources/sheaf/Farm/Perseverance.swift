import HTTP

/// Decides how long and how often a call is repeated while the coordinator does not answer.
package struct Perseverance: Sendable {
  /// The time without any success after which the command gives up.
  package let patience: Duration
  private let clock: any Clock<Duration>
  private let stopwatch: @Sendable () -> Duration
  private var since: Duration?
  private var pause = Self.firstPause

  private static let firstPause = Duration.milliseconds(250)
  private static let longestPause = Duration.seconds(5)

  package init(patience: Duration, clock: any Clock<Duration> = ContinuousClock()) {
    self.patience = patience
    self.clock = clock
    stopwatch = clock.stopwatch()
  }

  /// Whether the last call failed.
  package var isWaiting: Bool { since != nil }

  /// Records a success: the next failure starts a new wait.
  package mutating func succeeded() { (since, pause) = (nil, Self.firstPause) }

  /// Waits briefly while the coordinator works on the answer. The patience starts again.
  package mutating func waitForProgress() async throws {
    succeeded()
    try await clock.sleep(for: Self.firstPause)
  }

  /// Waits after a failure. Each wait is twice as long as the one before, up to five seconds.
  ///
  /// - Returns: false if the patience has run out.
  package mutating func wait() async throws -> Bool {
    let now = stopwatch()
    let start = since ?? now
    since = start
    guard now - start < patience else { return false }
    try await clock.sleep(for: min(pause, patience - (now - start)))
    pause = min(pause * 2, Self.longestPause)
    return true
  }
}

extension Clock where Duration == Swift.Duration {
  /// Returns a closure that returns the time since this call.
  fileprivate func stopwatch() -> @Sendable () -> Duration {
    let start = now
    return { start.duration(to: now) }
  }
}
