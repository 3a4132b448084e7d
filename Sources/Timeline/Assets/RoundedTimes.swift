/// Frames of a constant rate whose times the container rounds to its ticks, at their exact instants.
///
/// So it is where a frame of the nominal rate lasts no whole number of ticks — at 30 frames a second in Matroska, which
/// counts milliseconds, or 24000/1001 in a transport stream — and every time is within a tick of a multiple of its
/// duration. Times of a variable rate are what they are.
package struct RoundedTimes: Sendable {
  /// The length of a frame in seconds.
  package let frameDuration: RationalTime
  /// When frame 0 begins, in seconds on the container's clock: as late as can be without a frame that begins after its
  /// own time, so that each is on show at it.
  package let origin: RationalTime
  /// For each frame of the stream, by how many durations it begins after the origin; in order.
  package let numbers: [Int64]

  /// The frames of a stream; `nil` where its times are exact.
  package init?(_ stream: VideoStream) {
    guard let rate = stream.nominalFrameRate, rate > .zero, stream.timeBase > .zero,
      let seconds = try? RationalTime(1) / rate, let duration = try? seconds / stream.timeBase,
      duration.denominator != 1, let first = stream.frames.times.first
    else { return nil }
    let (ticks, parts) = (Int128(duration.numerator), Int128(duration.denominator))
    guard ticks > 2 * parts else { return nil }
    var (numbers, earliest) = ([Int64](), Int128(0))
    numbers.reserveCapacity(stream.frames.times.count)
    for time in stream.frames.times {
      let distance = (Int128(time) - Int128(first)) * parts
      let number = (2 * distance + ticks) / (2 * ticks)
      let error = distance - number * ticks
      guard error.magnitude <= parts.magnitude, let number = Int64(exactly: number),
        number > numbers.last ?? .min
      else { return nil }
      earliest = min(earliest, error)
      numbers.append(number)
    }
    guard let error = try? RationalTime(Int64(earliest), duration.denominator),
      let start = try? RationalTime(first) + error, let origin = try? stream.timeBase * start
    else { return nil }
    (frameDuration, self.origin, self.numbers) = (seconds, origin, numbers)
  }
}
