/// A pause that doubles each time, up to a limit.
struct DoublingPause: Hashable, Sendable {
  let first: Duration
  let longest: Duration

  /// The length of the pause that follows `count` earlier ones.
  func length(after count: Int) -> Duration {
    // The exponent is limited to prevent an overflow.
    min(first * (1 << min(count, 20)), longest)
  }
}
