import Synchronization

/// The turns that the farm gives to others between two slices of long work, in which a test can call the farm.
package final class InterposedTurns: Sendable {
  private let body = Mutex<(@Sendable () async -> Void)?>(nil)

  /// Sets what happens in each turn; `nil` for a yield.
  package func set(_ new: (@Sendable () async -> Void)?) {
    body.withLock { $0 = new }
  }

  /// Lets others in.
  package func take() async {
    if let body = body.withLock({ $0 }) { await body() } else { await Task.yield() }
  }
}
