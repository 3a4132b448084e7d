import Timeline

extension Ramps {
  /// Creates ramps from one value per frame; a `nil` entry keeps the previous value.
  ///
  /// Evenly spaced values on a line become one ramp, and equal values one step.
  init(
    samples: [Value?], from first: Int, frameDuration: RationalTime, numbers: (Value) -> [Double]
  ) throws(TimeError) {
    var pieces: [Piece] = []
    var filled: [Value] = []
    let known = samples.compactMap(\.self)
    guard var last = known.first else {
      self.init()
      return
    }
    for sample in samples {
      last = sample ?? last
      filled.append(last)
    }
    var index = 0
    while index < filled.count {
      var end = index + 1
      let at = try frameDuration * Int64(first + index)
      if end < filled.count {
        let step = Self.difference(filled[index], filled[end], numbers)
        while end + 1 < filled.count,
          Self.isEqual(Self.difference(filled[end], filled[end + 1], numbers), step)
        {
          end += 1
        }
        if step.contains(where: { $0 != 0 }), end > index + 1 {
          let range = try TimeRange(start: at, end: frameDuration * Int64(first + end))
          pieces.append(.ramp(timeRange: range, from: filled[index], to: filled[end]))
          // The ramp's last value holds, and may also begin the next ramp.
          index = end
          if end == filled.count - 1 { break }
          continue
        }
        if !step.contains(where: { $0 != 0 }) {
          pieces.append(.step(at: at, value: filled[index]))
          index = end + 1
          continue
        }
      }
      pieces.append(.step(at: at, value: filled[index]))
      index += 1
    }
    self.init(pieces)
  }

  private static func difference(
    _ one: Value, _ other: Value, _ numbers: (Value) -> [Double]
  ) -> [Double] {
    zip(numbers(one), numbers(other)).map { $1 - $0 }
  }

  /// Whether two steps are equal, apart from floating-point rounding.
  private static func isEqual(_ one: [Double], _ other: [Double]) -> Bool {
    zip(one, other).allSatisfy { abs($0 - $1) <= 1e-9 }
  }
}
