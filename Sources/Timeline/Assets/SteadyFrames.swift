/// Frames at a constant rate, although their times in the file only approximate it.
///
/// Either the container rounds exact times to its ticks (such as 30 frames per second in Matroska's milliseconds), or
/// the times jitter around a standard rate, as in footage from phones and screen recorders. Each frame is placed on a
/// grid of that rate, so that an output of the same rate shows it once, wherever a clip starts.
package struct SteadyFrames: Sendable {
  /// Frames per second.
  package let frameRate: RationalTime
  /// The length of a frame in seconds.
  package let frameDuration: RationalTime
  /// The start of frame 0, in seconds on the container's clock. It is as late as possible without a frame starting
  /// after its own time, so that each frame is shown at its own time.
  package let origin: RationalTime
  /// The start of each frame of the stream, in frame durations after the origin; strictly increasing.
  package let numbers: [Int64]

  init(
    frameRate: RationalTime, frameDuration: RationalTime, origin: RationalTime, numbers: [Int64]
  ) {
    self.frameRate = frameRate
    self.frameDuration = frameDuration
    self.origin = origin
    self.numbers = numbers
  }

  /// Creates the frames of a stream. Returns `nil` if its times are exact or its rate varies.
  package init?(_ stream: VideoStream) {
    if let continued = SteadyFrames(continuing: stream) {
      self = continued
      return
    }
    let rounded = SteadyFrames(rounded: stream)
    if let rounded, StandardFrameRates.all.contains(rounded.frameRate) {
      self = rounded
    } else if let jittering = SteadyFrames(jittering: stream, ownRate: rounded?.frameRate) {
      self = jittering
    } else if let rounded {
      self = rounded
    } else {
      return nil
    }
  }

  /// Creates the frames of a stream whose container rounds times to ticks: at the nominal rate, a frame does not last a
  /// whole number of ticks, and every time is within a tick of a multiple of the frame duration.
  private init?(rounded stream: VideoStream) {
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
    self.init(frameRate: rate, frameDuration: seconds, origin: origin, numbers: numbers)
  }
}
