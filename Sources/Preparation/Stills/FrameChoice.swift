import Timeline

/// The frames that a contact sheet shows.
package enum FrameChoice: Hashable, Sendable {
  /// This many, evenly spaced, each in the middle of its part of the film. If the film has fewer frames, all of them.
  case count(Int)
  /// The frame at the start, and one after each interval.
  case every(RationalTime)

  /// The numbers of the frames, from 0.
  ///
  /// - Throws: `TimeError` if times do not fit in 64-bit fractions.
  package func numbers(
    of frameCount: Int, frameDuration: RationalTime
  ) throws(TimeError) -> [Int] {
    switch self {
    case .count(let count):
      let count = min(max(count, 1), frameCount)
      return (0..<count).map { (2 * $0 + 1) * frameCount / (2 * count) }
    case .every(let interval):
      var numbers: [Int] = []
      var time = RationalTime.zero
      while true {
        let number = Int(try time.ticks(of: frameDuration, rounding: .down))
        guard number < frameCount else { return numbers }
        if numbers.last != number { numbers.append(number) }
        time = try time + interval
      }
    }
  }
}
