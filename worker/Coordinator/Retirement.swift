import FarmAPI
import Synchronization

/// Decides when a worker takes no more leases. It then finishes what it holds and exits.
///
/// A worker asks for a lease at least once after it has registered, and after each segment, before it counts as idle.
package final class Retirement: Sendable {
  /// The worker takes no more leases.
  package struct Retired: Error {}

  private struct State {
    /// How many segments are being rendered or delivered.
    var held = 0
    /// When the worker began to ask for a lease while it held nothing.
    var idleSince: Duration?
    /// Whether the worker has stopped taking leases. It never starts again.
    var isOver = false
  }

  private let conditions: ExitConditions
  private let now: @Sendable () -> Duration
  private let begin: Duration
  private let log: Log
  private let state = Mutex(State())

  /// The longest time that a request for a lease waits, in seconds.
  private static let longestWait = 30.0

  /// Starts the worker's lifetime. `now` returns the time since any fixed instant.
  package init(
    _ conditions: ExitConditions, log: Log, now: @escaping @Sendable () -> Duration
  ) {
    self.conditions = conditions
    self.now = now
    self.log = log
    begin = now()
  }

  /// Checks that the worker may take another lease. Returns how long to wait for it at most, in whole seconds.
  ///
  /// - Throws: ``Retired``.
  @discardableResult package func check() throws(Retired) -> Int {
    let now = now()
    var wait = Self.longestWait
    let reason = state.withLock { state -> String? in
      guard !state.isOver else { return nil }
      if let lifetime = conditions.lifetime {
        let left = lifetime - (now - begin)
        guard left > .zero else {
          state.isOver = true
          return "it has run for \(lifetime.inSeconds) s"
        }
        wait = min(wait, left / .seconds(1))
      }
      if let idleTime = conditions.idleTime {
        let since = state.held == 0 ? state.idleSince : nil
        if state.held == 0 { state.idleSince = since ?? now }
        let left = since.map { idleTime - (now - $0) } ?? idleTime
        guard since == nil || left > .zero else {
          state.isOver = true
          return "it had nothing to do for \(idleTime.inSeconds) s"
        }
        wait = min(wait, left / .seconds(1))
      }
      return nil
    }
    if let reason { log.info("retiring", ["because": reason]) }
    guard !state.withLock(\.isOver) else { throw Retired() }
    return max(1, Int(wait.rounded(.up)))
  }

  /// Records that the worker has registered, so that it can get leases from now on.
  func registered() { state.withLock { $0.idleSince = nil } }

  /// Records that the worker got a lease.
  package func began() {
    state.withLock { state in
      state.held += 1
      state.idleSince = nil
    }
  }

  /// Records that the worker no longer holds a lease.
  package func ended() {
    state.withLock { state in
      state.held -= 1
      state.idleSince = nil
    }
  }
}
