/// Decides which failures of repeated calls to log: each reason once, and again after ``silence``, until
/// the call succeeds.
package struct Troubles: Sendable {
  private struct Trouble {
    let since: Duration
    var said: [String: Duration] = [:]
  }

  private var calls: [String: Trouble] = [:]

  /// The time for which a reason is not repeated.
  package static let silence = Duration.seconds(600)
  /// The number of reasons that are remembered for one call.
  private static let memory = 32
  /// The number of failing calls that are remembered. The one that has failed for longest is forgotten first, because a
  /// call that is never repeated never succeeds.
  package static let callLimit = 1_000

  package init() {}

  /// Records that a call failed.
  ///
  /// - Parameter reason: the failure in words. Texts that differ only in digits count as the same reason.
  /// - Returns: whether to log the failure.
  package mutating func note(_ call: String, _ reason: String, at now: Duration) -> Bool {
    if calls[call] == nil, calls.count >= Self.callLimit,
      let oldest = calls.min(by: { $0.value.since < $1.value.since })
    {
      calls[oldest.key] = nil
    }
    var trouble = calls[call] ?? Trouble(since: now)
    defer { calls[call] = trouble }
    let key = String(reason.unicodeScalars.filter { !("0"..."9").contains($0) })
    if let said = trouble.said[key], now - said < Self.silence { return false }
    if trouble.said.count >= Self.memory { trouble.said = [:] }
    trouble.said[key] = now
    return true
  }

  /// Records that a call succeeded.
  ///
  /// - Returns: how long it had been failing, or `nil` if it had not.
  package mutating func settle(_ call: String, at now: Duration) -> Duration? {
    calls.removeValue(forKey: call).map { now - $0.since }
  }
}
