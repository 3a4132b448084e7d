import Synchronization
import Threads

/// Objects that are being removed on a thread of their own.
final class PendingRemovals: Sendable {
  private struct State {
    /// The objects that are to be removed.
    var objects: Set<StoredObject> = []
    /// These objects in order. One that is no longer to be removed may still be here.
    var queue: [StoredObject] = []
    var isRunning = false
  }

  private let state = Mutex(State())

  /// Whether an object is to be removed, so that it counts as missing.
  func contains(_ object: StoredObject) -> Bool { state.withLock { $0.objects.contains(object) } }

  /// Takes an object out.
  ///
  /// - Returns: whether it was to be removed.
  @discardableResult
  func cancel(_ object: StoredObject) -> Bool {
    state.withLock { $0.objects.remove(object) != nil }
  }

  /// Adds objects.
  ///
  /// - Parameter remove: removes one. It calls ``cancel(_:)`` first, and does nothing if the object was taken out.
  func add(_ objects: [StoredObject], remove: @escaping @Sendable (StoredObject) -> Void) {
    let starts = state.withLock { state in
      let new = objects.filter { state.objects.insert($0).inserted }
      state.queue += new
      guard !state.isRunning, !state.queue.isEmpty else { return false }
      state.isRunning = true
      return true
    }
    guard starts else { return }
    BlockingThread.start(named: "removals") { [self] in
      while let object = next() { remove(object) }
    }
  }

  private func next() -> StoredObject? {
    state.withLock { state in
      guard !state.queue.isEmpty else {
        state.isRunning = false
        return nil
      }
      return state.queue.removeFirst()
    }
  }
}
