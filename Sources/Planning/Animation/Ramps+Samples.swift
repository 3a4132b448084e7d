import Timeline

extension Ramps {
  /// A course through one value a frame; `nil` entries keep the value before them.
  ///
  /// Frames at even distances on a line become one ramp, equal ones a step.
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
          // The ramp's last value holds, and may begin the next one.
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

  /// Whether two steps are the same but for the rounding of floating-point numbers.
  private static func isEqual(_ one: [Double], _ other: [Double]) -> Bool {
    zip(one, other).allSatisfy { abs($0 - $1) <= 1e-9 }
  }
}
