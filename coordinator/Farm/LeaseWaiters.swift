import Scheduling

/// The requests of workers that are waiting for a lease.
package struct LeaseWaiters {
  private struct Waiter {
    let continuation: CheckedContinuation<LeaseAnswer, Never>
    /// Returns whether the worker may still have a lease.
    let isInForce: @Sendable () -> Bool
  }

  private var waiters: [RequestID: Waiter] = [:]
  private var lastRequest: UInt64 = 0

  package init() {}

  /// A number for another request.
  package mutating func newRequest() -> RequestID {
    lastRequest += 1
    return RequestID(rawValue: lastRequest)
  }

  /// Adds a request that waits.
  ///
  /// - Parameter isInForce: returns whether the worker may still have a lease.
  package mutating func add(
    _ request: RequestID, _ continuation: CheckedContinuation<LeaseAnswer, Never>,
    while isInForce: @escaping @Sendable () -> Bool = { true }
  ) {
    waiters[request] = Waiter(continuation: continuation, isInForce: isInForce)
  }

  /// Whether a request is waiting.
  package func contains(_ request: RequestID) -> Bool { waiters[request] != nil }

  /// Ends a wait.
  ///
  /// - Returns: whether the request was waiting.
  @discardableResult
  package mutating func answer(_ request: RequestID, _ answer: LeaseAnswer) -> Bool {
    guard let waiter = waiters.removeValue(forKey: request) else { return false }
    waiter.continuation.resume(returning: answer)
    return true
  }

  /// The waiting requests of workers that may no longer have a lease.
  package var revoked: [RequestID] {
    waiters.filter { !$0.value.isInForce() }.map(\.key)
  }

  /// Ends every wait without a lease.
  package mutating func end() {
    for waiter in waiters.values { waiter.continuation.resume(returning: .nothing) }
    waiters = [:]
  }
}
