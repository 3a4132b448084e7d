/// The distribution of observed values over fixed ranges.
package struct Histogram: Hashable, Sendable {
  /// The upper bounds of the ranges, in rising order. A last range has no bound.
  private let bounds: [Double]
  /// The number of values in each range.
  private var counts: [Int]
  /// The sum of the values.
  package private(set) var sum = 0.0
  /// The number of values.
  package var count: Int { counts.reduce(0, +) }

  package init(_ bounds: [Double]) {
    precondition(zip(bounds, bounds.dropFirst()).allSatisfy { $0 < $1 }, "the bounds must rise")
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  /// Counts a value.
  package mutating func observe(_ value: Double) {
    guard value.isFinite else { return }
    counts[bounds.firstIndex { value <= $0 } ?? bounds.endIndex] += 1
    sum += value
  }

  /// Counts a duration in seconds.
  package mutating func observe(_ duration: Duration) { observe(duration / .seconds(1)) }

  /// The number of values up to each bound; the last one counts all, and has no bound.
  package var cumulative: [(bound: Double?, count: Int)] {
    var total = 0
    return counts.indices.map { index in
      total += counts[index]
      return (index < bounds.endIndex ? bounds[index] : nil, total)
    }
  }
}
