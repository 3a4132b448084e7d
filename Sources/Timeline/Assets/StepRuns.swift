extension Sequence<Int64> {
  /// The first number, and the differences between adjacent numbers as runs of equal ones: `[difference, count, …]`.
  var stepRuns: (first: Int64?, runs: [Int64]) {
    var first: Int64?
    var runs: [Int64] = []
    var earlier: Int64?
    for number in self {
      defer { earlier = number }
      guard let earlier else {
        first = number
        continue
      }
      let step = number &- earlier
      if runs.count > 1, runs[runs.count - 2] == step {
        runs[runs.count - 1] += 1
      } else {
        runs += [step, 1]
      }
    }
    return (first, runs)
  }
}
