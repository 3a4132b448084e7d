/// A point on the shell's steady clock.
public struct Instant: Hashable, Comparable, Sendable {
  /// The time since the clock's start, which has no meaning of its own.
  public var sinceStart: Duration

  /// Creates the instant at the given time after the clock's start.
  public init(_ sinceStart: Duration) { self.sinceStart = sinceStart }

  /// The instant `duration` later.
  public static func + (instant: Instant, duration: Duration) -> Instant {
    Instant(instant.sinceStart + duration)
  }

  /// The time from `earlier` to `later`.
  public static func - (later: Instant, earlier: Instant) -> Duration {
    later.sinceStart - earlier.sinceStart
  }

  /// Orders earlier instants first.
  public static func < (a: Instant, b: Instant) -> Bool { a.sinceStart < b.sinceStart }
}
