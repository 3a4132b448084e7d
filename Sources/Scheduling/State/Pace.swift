/// Estimates how long work takes, based on earlier work.
struct Pace: Sendable {
  private var cost = 0.0
  private var seconds = 0.0
  private var samples = 0

  /// The number of pieces of work after which the weight of all of them is halved.
  private static let memory = 512

  /// Records the time that the delivery of a segment took.
  mutating func note(cost: Int64, took duration: Duration) {
    if samples >= Self.memory {
      (self.cost, seconds, samples) = (self.cost / 2, seconds / 2, samples / 2)
    }
    self.cost += Double(cost)
    seconds += duration / .seconds(1)
    samples += 1
  }

  /// The seconds for each unit of cost; `nil` without earlier work.
  var secondsPerCost: Double? { cost > 0 ? seconds / cost : nil }

  /// The time that a segment of the given cost is expected to take; `nil` without earlier work.
  func expected(of cost: Int64) -> Duration? {
    guard let secondsPerCost else { return nil }
    // A day is longer than any segment takes. There is no estimate if the result is not finite.
    let expected = secondsPerCost * Double(cost)
    return .seconds(expected.isFinite ? min(expected, 86_400) : 86_400)
  }
}
