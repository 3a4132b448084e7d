import Synchronization

/// The memory that the renders of a worker share.
///
/// The coordinator leases only what fits. A render that the coordinator no longer counts, because it was withdrawn, may
/// still be running when the next lease arrives, so the worker checks again.
final class MemoryRoom: Sendable {
  private let limit: Int?
  private let used = Mutex(0)

  /// - Parameter limit: the memory in bytes; `nil` for any.
  init(limit: Int?) { self.limit = limit }

  /// Takes memory for a render. Returns whether there was enough.
  func enter(_ bytes: Int) -> Bool {
    used.withLock { used in
      if let limit, bytes > limit - used { return false }
      used += bytes
      return true
    }
  }

  /// Gives the memory of a render back.
  func leave(_ bytes: Int) { used.withLock { $0 -= bytes } }
}
