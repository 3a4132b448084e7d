/// The waits between tries: twice as long each time up to a cap, with jitter so that workers do not retry together.
package struct Backoff: Hashable, Sendable {
  /// The longest wait before the first retry.
  package let first: Duration
  package let cap: Duration
  private var failures = 0

  /// Creates waits that start at `first` and grow to `cap`.
  package init(first: Duration = .milliseconds(250), cap: Duration = .seconds(15)) {
    self.first = first
    self.cap = cap
  }

  /// The wait before the next try: a random time between half the doubled wait and all of it.
  package mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
    let doubled = failures < 30 ? first * (1 << failures) : cap
    failures += 1
    // The upper 53 bits as a fraction below 1.
    let fraction = Double(generator.next() >> 11) * 0x1p-53
    return min(doubled, cap) * (0.5 + fraction / 2)
  }

  /// The wait before the next try, with the system's random numbers.
  package mutating func next() -> Duration {
    var generator = SystemRandomNumberGenerator()
    return next(using: &generator)
  }

  /// Starts again, after a success.
  package mutating func reset() { failures = 0 }
}
