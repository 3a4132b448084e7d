import Foundation
import Synchronization
import Threads

/// Objects that are being removed on a thread of their own.
final class PendingRemovals: Sendable {
  /// Removes an object, and returns whether that is done. It calls ``PendingRemovals/cancel(_:)`` at its end.
  typealias Removal = @Sendable (StoredObject) -> Bool

  private struct State {
    /// The objects that are to be removed.
    var objects: Set<StoredObject> = []
    /// These objects in reverse order. One that is no longer to be removed may still be here.
    var queue: [(object: StoredObject, remove: Removal)] = []
    var isRunning = false
  }

  private let state = Mutex(State())
  /// How long to wait after a removal that failed, in seconds.
  private static let pause: TimeInterval = 5

  /// Whether an object is to be removed, so that it counts as missing.
  func contains(_ object: StoredObject) -> Bool { state.withLock { $0.objects.contains(object) } }

  /// Takes an object out.
  func cancel(_ object: StoredObject) { state.withLock { _ = $0.objects.remove(object) } }

  /// Adds objects. A removal that fails is tried again for as long as this object exists.
  func add(_ objects: [StoredObject], remove: @escaping Removal) {
    let starts = state.withLock { state in
      for object in objects where state.objects.insert(object).inserted {
        state.queue.append((object, remove))
      }
      guard !state.isRunning, !state.queue.isEmpty else { return false }
      state.isRunning = true
      return true
    }
    guard starts else { return }
    BlockingThread.start(named: "removals") { [weak self] in
      while let (object, remove) = self?.next() {
        guard self?.contains(object) == true, !remove(object) else { continue }
        self?.putBack(object, remove)
        Thread.sleep(forTimeInterval: Self.pause)
      }
    }
  }

  private func next() -> (StoredObject, Removal)? {
    state.withLock { state in
      guard let last = state.queue.popLast() else {
        state.isRunning = false
        return nil
      }
      return last
    }
  }

  private func putBack(_ object: StoredObject, _ remove: @escaping Removal) {
    state.withLock { $0.queue.append((object, remove)) }
  }
}
