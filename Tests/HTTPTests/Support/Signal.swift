import Synchronization

/// A value that one side sends once and others wait for.
final class Signal<Value: Sendable>: Sendable {
  private enum State {
    case waiting([CheckedContinuation<Value, Never>])
    case sent(Value)
  }

  private let state = Mutex(State.waiting([]))

  /// Sends `value`. Later values are ignored.
  func send(_ value: Value) {
    let waiters: [CheckedContinuation<Value, Never>] = state.withLock { state in
      guard case .waiting(let waiters) = state else { return [] }
      state = .sent(value)
      return waiters
    }
    for waiter in waiters { waiter.resume(returning: value) }
  }

  /// The value, once it has been sent.
  var value: Value {
    get async {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          switch state {
          case .waiting(let waiters): state = .waiting(waiters + [continuation])
          case .sent(let value): continuation.resume(returning: value)
          }
        }
      }
    }
  }
}

extension Signal<Void> {
  /// Signals that the event has happened.
  func send() { send(()) }
}
