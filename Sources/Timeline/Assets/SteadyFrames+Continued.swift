extension SteadyFrames {
  /// The frames of a recording that grows: its first frames decide the rate and the grid, and each later frame gets its
  /// number from its own time and the frame before it. What is recorded later changes no number.
  ///
  /// A later frame is in the slot after the previous frame's if it is near that slot, and otherwise, as after a pause, in
  /// the nearest one. Returns `nil` if the rate of the first frames varies, if the times of all frames
  /// are exact, or if later frames follow each other faster.
  init?(continuing stream: VideoStream) {
    guard let count = stream.opening?.frameCount, count > 1, count < stream.frames.times.count,
      case .variable = FrameRhythm(exactlyOf: stream, ownRate: nil)
    else { return nil }
    let times = stream.frames.times
    var head = stream
    head.opening = nil
    head.frames = FrameTable(times: Array(times[..<count]), end: times[count], keyframes: [])
    guard let begun = SteadyFrames(head) ?? SteadyFrames(exactlyOf: head),
      let grid = ContinuedGrid(begun, of: head)
    else { return nil }
    var numbers = begun.numbers
    for time in times[count...] {
      guard let number = grid.number(at: time, after: numbers[numbers.count - 1]) else {
        return nil
      }
      numbers.append(number)
    }
    self.init(
      frameRate: begun.frameRate, frameDuration: begun.frameDuration, origin: begun.origin,
      numbers: numbers)
  }

  /// Frames at exactly a constant rate.
  private init?(exactlyOf stream: VideoStream) {
    guard case .steady(let rate) = FrameRhythm(exactlyOf: stream, ownRate: nil),
      let duration = try? RationalTime(1) / rate, let first = stream.frames.times.first,
      let origin = try? stream.timeBase * first
    else { return nil }
    self.init(
      frameRate: rate, frameDuration: duration, origin: origin,
      numbers: Array(0..<Int64(stream.frames.times.count)))
  }
}

/// A grid of equal slots that is continued after the frames that decided it.
private struct ContinuedGrid {
  /// How much later than the slot after the previous frame's a frame in that slot may be, in quarters of a slot.
  private static let longestDelay: Int128 = 3
  /// How much earlier it may be, as after a frame that was late or when the source's clock is a little fast.
  private static let longestLead: Int128 = 5

  /// The middle of the times within slot 0, in ticks.
  private let middle: Int128
  /// The length of a slot, in fractions of a tick.
  private let slot: Int128
  /// The number of fractions in a tick.
  private let parts: Int128

  init?(_ frames: SteadyFrames, of stream: VideoStream) {
    guard let length = try? frames.frameDuration / stream.timeBase,
      let origin = try? frames.origin / stream.timeBase
    else { return nil }
    let parts = Int128(length.denominator) * Int128(origin.denominator)
    let slot = Int128(length.numerator) * Int128(origin.denominator)
    let start = Int128(origin.numerator) * Int128(length.denominator)
    let offsets = zip(stream.frames.times, frames.numbers).map { time, number in
      Int128(time) * parts - start - Int128(number) * slot
    }
    guard let earliest = offsets.min(), let latest = offsets.max() else { return nil }
    (self.slot, self.parts) = (slot, parts)
    middle = start + (earliest + latest) / 2
  }

  /// The slot of a frame; `nil` if it begins too early to be in a slot after the previous frame's.
  func number(at time: Int64, after previous: Int64) -> Int64? {
    let position = Int128(time) * parts - middle
    let distance = position - (Int128(previous) + 1) * slot
    guard 4 * distance >= -Self.longestLead * slot else { return nil }
    if 4 * distance <= Self.longestDelay * slot { return previous + 1 }
    return Int64(exactly: (2 * position + slot) / (2 * slot))
  }
}
