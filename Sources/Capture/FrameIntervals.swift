/// Intervals between pictures that a device offers: one, or a range.
package struct FrameIntervals: Hashable, Sendable {
  private let slowest: Fraction
  private let fastest: Fraction

  /// Creates a range from two intervals in seconds, in any order.
  package init(_ one: Fraction, _ other: Fraction) {
    slowest = min(one.reciprocal, other.reciprocal)
    fastest = max(one.reciprocal, other.reciprocal)
  }

  /// The highest frame rate up to a limit; the lowest one if all are above it.
  package func rate(upTo limit: Fraction) -> Fraction {
    if fastest.isAtMost(limit) { return fastest }
    return slowest.isAtMost(limit) ? max(slowest, limit) : slowest
  }
}
