import Synchronization

/// Cancels a transfer when the task that waits for it is cancelled, even if that happens before the transfer starts.
final class TransferCancellation: Sendable {
  private enum State {
    case waiting
    case running(TransferLoop.Ticket)
    case cancelled
  }

  private let state = Mutex(State.waiting)
  private let loop: TransferLoop

  init(_ loop: TransferLoop) {
    self.loop = loop
  }

  /// Records that the transfer has been passed to the loop.
  func began(_ ticket: TransferLoop.Ticket) {
    let isCancelled = state.withLock { state in
      if case .cancelled = state { return true }
      state = .running(ticket)
      return false
    }
    if isCancelled { loop.cancel(ticket) }
  }

  /// Records that the task was cancelled.
  func cancel() {
    let ticket: TransferLoop.Ticket? = state.withLock { state in
      defer { state = .cancelled }
      if case .running(let ticket) = state { return ticket }
      return nil
    }
    if let ticket { loop.cancel(ticket) }
  }
}
