import Synchronization

/// Limits the memory for the bodies of all requests of a server together. Each body counts until its handler has ended.
///
/// Bodies that are written to a ``BodySink`` do not count.
final class BodyBudget: Sendable {
  /// The size limit in bytes of all bodies together.
  let limit: Int
  private let used = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// The share of one request in the budget. It becomes free after ``release()``, or when this object is released.
  final class Share: Sendable {
    private let budget: BodyBudget
    private let held = Mutex(0)

    init(of budget: BodyBudget) { self.budget = budget }

    deinit { release() }

    /// Takes `count` more bytes. Returns false, and takes nothing, if they would exceed the budget.
    func grow(by count: Int) -> Bool {
      guard budget.take(count) else { return false }
      held.withLock { $0 += count }
      return true
    }

    /// Returns all bytes to the budget.
    func release() {
      let count: Int = held.withLock { held in
        defer { held = 0 }
        return held
      }
      budget.give(back: count)
    }
  }

  private func take(_ count: Int) -> Bool {
    used.withLock { used in
      guard count <= limit - used else { return false }
      used += count
      return true
    }
  }

  private func give(back count: Int) {
    used.withLock { $0 -= count }
  }
}

extension HTTPError {
  /// The error for a request whose body would exceed the budget for all bodies.
  static func bodiesTooLarge(limit: Int) -> HTTPError {
    HTTPError(
      .serviceUnavailable, type: Connections.problemType,
      detail:
        "there is no memory for this body (limit for all requests: \(limit) bytes): try again",
      headers: ["Retry-After": "5"])
  }
}
