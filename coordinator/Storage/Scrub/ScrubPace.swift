/// Spreads reading over time, so that no more than so many bytes a second are read.
package struct ScrubPace: Sendable {
  let bytesPerSecond: Int64
  /// When the bytes that were admitted so far are used up.
  private var end: Duration = .zero

  /// A pace at which nothing was read yet.
  package init(bytesPerSecond: Int64) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// How long to wait before bytes are read. Time in which nothing was read is not made up for.
  ///
  /// - Parameter now: the present on a steady clock.
  package mutating func wait(before byteCount: Int, at now: Duration) -> Duration {
    let start = max(end, now)
    end = start + .seconds(Double(byteCount) / Double(bytesPerSecond))
    return start - now
  }
}
