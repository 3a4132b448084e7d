import Synchronization

/// The memory that the bodies of all requests of a server may take together until their handlers have ended.
///
/// Bodies that go into a ``BodySink`` do not count.
final class BodyBudget: Sendable {
  /// The most bytes that all bodies together may have.
  let limit: Int
  private let used = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// One request's part of the budget. It is free again after ``release()``, or when nothing refers to it.
  final class Share: Sendable {
    private let budget: BodyBudget
    private let held = Mutex(0)

    init(of budget: BodyBudget) { self.budget = budget }

    deinit { release() }

    /// Takes so many more bytes, and returns false if they would exceed the budget.
    func grow(by count: Int) -> Bool {
      guard budget.take(count) else { return false }
      held.withLock { $0 += count }
      return true
    }

    /// Gives all of it back.
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
  /// The bodies of all requests exceed the budget.
  static func bodiesTooLarge(limit: Int) -> HTTPError {
    HTTPError(
      .serviceUnavailable, type: Connections.problemType,
      detail: "the bodies of all requests together have more than \(limit) bytes: try again",
      headers: ["Retry-After": "5"])
  }
}
