/// How long work takes, by what has been seen of it.
struct Pace: Sendable {
  private var cost = 0.0
  private var seconds = 0.0
  private var samples = 0

  /// How many pieces of work it remembers before the older half of their weight is let go.
  private static let memory = 512

  /// Records that a segment of a cost was delivered after a while.
  mutating func note(cost: Int64, took duration: Duration) {
    if samples >= Self.memory {
      (self.cost, seconds, samples) = (self.cost / 2, seconds / 2, samples / 2)
    }
    self.cost += Double(cost)
    seconds += duration / .seconds(1)
    samples += 1
  }

  /// How long a segment of a cost is expected to take; `nil` before there is anything to go by.
  func expected(of cost: Int64) -> Duration? {
    guard self.cost > 0 else { return nil }
    // A day is longer than any segment, and what is not finite is none.
    let expected = seconds / self.cost * Double(cost)
    return .seconds(expected.isFinite ? min(expected, 86_400) : 86_400)
  }
}
