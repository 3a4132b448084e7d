import Synchronization

/// State that the calls of one command share: whether the coordinator has answered, and how to continue if it stops
/// answering.
final class FarmContact: Sendable {
  private struct State {
    var hasAnswered: Bool
    var resumption: String
    var isWaiting = false
    var isTold = false
    var hasHeard = false
    var isSchemeChecked = false
  }

  private let state: Mutex<State>
  private let report: @Sendable (String) -> Void

  /// - Parameters:
  ///   - waitsFromTheStart: whether to wait for a coordinator that has not answered yet.
  ///   - resumption: the command that continues after giving up.
  init(
    waitsFromTheStart: Bool, resumption: String, report: @escaping @Sendable (String) -> Void
  ) {
    state = Mutex(State(hasAnswered: waitsFromTheStart, resumption: resumption))
    self.report = report
  }

  /// The command that continues after giving up.
  var resumption: String {
    get { state.withLock { $0.resumption } }
    set { state.withLock { $0.resumption = newValue } }
  }

  /// Whether to wait after a failure. If the coordinator has never answered, its address may be wrong.
  func isWorthWaiting(_ failure: TransientFailure) -> Bool {
    !failure.isUnreachable || state.withLock { $0.hasAnswered }
  }

  /// Reports once that the command is waiting.
  func waits(because failure: TransientFailure, patience: Duration) {
    let isNew = state.withLock { state in
      defer { state.isWaiting = true }
      return !state.isWaiting
    }
    guard isNew else { return }
    report(
      "waiting up to \(patience.components.seconds) s for the coordinator: \(failure.reason)")
  }

  /// Records that the coordinator is working on the answer, and reports that once.
  func works(_ reason: String) {
    answered()
    let isNew = state.withLock { state in
      defer { state.isTold = true }
      return !state.isTold
    }
    if isNew { report("waiting: \(reason)") }
  }

  /// Records that the coordinator has answered.
  func answered() {
    state.withLock { ($0.hasAnswered, $0.isWaiting, $0.hasHeard) = (true, false, true) }
  }

  /// Whether to check if the address has the wrong scheme: once, and only if nothing has ever answered.
  func beginSchemeCheck() -> Bool {
    state.withLock { state in
      defer { state.isSchemeChecked = true }
      return !state.hasHeard && !state.isSchemeChecked
    }
  }
}
