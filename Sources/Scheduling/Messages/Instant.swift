/// A point on the shell's steady clock.
public struct Instant: Hashable, Comparable, Sendable {
  /// The time since the clock's start, which itself has no meaning.
  public var sinceStart: Duration

  /// The instant that long after the clock's start.
  public init(_ sinceStart: Duration) { self.sinceStart = sinceStart }

  /// The instant `duration` later.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(instant.sinceStart + duration)
  }

  /// The time from `earlier` to `later`.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    later.sinceStart - earlier.sinceStart
  }

  /// Earlier first.
  public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
}
