/// Computes the times of frames, and the number of those that are lost when a device stops.
package struct SoundClock: Hashable, Sendable {
  private let sampleRate: Int
  /// The time after the last frame that was taken.
  private var end: Duration?
  /// Whether the device has stopped since then.
  private var hasGap = false

  package init(sampleRate: Int) { self.sampleRate = sampleRate }

  /// The age of frames above which a driver's number cannot be right.
  private static let longestDelay = 60

  /// Notes that the device stopped, and starts again.
  package mutating func interrupt() { hasGap = true }

  /// Takes the oldest frames of a device.
  ///
  /// - Parameters:
  ///   - count: how many are taken.
  ///   - available: how many there were at `stamp`.
  ///   - delay: the age of the oldest at `stamp`, in frames, which includes those that the hardware still holds.
  ///   - stamp: the driver's time; `nil` if it states none.
  ///   - now: the current time.
  /// - Returns: the time of the first frame, and the number of frames that are lost before it.
  package mutating func take(
    _ count: Int, available: Int, delay: Int, stamp: Duration?, now: Duration
  ) -> (time: Duration, lost: Int) {
    let isPlausible = delay >= available && delay <= available + Self.longestDelay * sampleRate
    let age = duration(of: isPlausible ? delay : available)
    let reference = stamp.map { min($0, now) } ?? now
    let time = reference - age
    defer {
      end = time + duration(of: count)
      hasGap = false
    }
    guard hasGap, let end else { return (time, 0) }
    return (time, frames(in: max(.zero, time - end)))
  }

  private func duration(of frames: Int) -> Duration {
    .seconds(frames / sampleRate) + .nanoseconds(frames % sampleRate * 1_000_000_000 / sampleRate)
  }

  /// The nearest number of frames.
  private func frames(in duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = Int(attoseconds / 1_000_000_000)
    return Int(seconds) * sampleRate + (nanoseconds * sampleRate + 500_000_000) / 1_000_000_000
  }
}
