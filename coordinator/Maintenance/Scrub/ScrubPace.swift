/// Limits reading to a number of bytes per second.
package struct ScrubPace: Sendable {
  let bytesPerSecond: Int64
  /// The time at which the bytes that were admitted so far are used up.
  private var end: Duration = .zero

  /// Creates a pace of at most the given number of bytes a second. No bytes have been read yet.
  package init(bytesPerSecond: Int64) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// How long to wait before reading more bytes. Idle time does not count as credit.
  ///
  /// - Parameter now: the current time on a monotonic clock.
  package mutating func wait(before byteCount: Int, at now: Duration) -> Duration {
    let start = max(end, now)
    end = start + .seconds(Double(byteCount) / Double(bytesPerSecond))
    return start - now
  }
}
