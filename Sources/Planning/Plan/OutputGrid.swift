import Timeline

/// The instants that output frames show: frame n shows `n × frameDuration`.
struct OutputGrid: Hashable, Sendable {
  /// The length of one frame, in seconds.
  let frameDuration: RationalTime
  /// The number of frames whose instants lie before the end.
  let frameCount: Int

  /// The grid of a composition; a partial last frame counts.
  init(frameDuration: RationalTime, duration: RationalTime) throws(TimeError) {
    self.frameDuration = frameDuration
    frameCount = Int(try duration.ticks(of: frameDuration, rounding: .up))
  }

  /// The grid of a number of frames.
  init(frameDuration: RationalTime, frameCount: Int) {
    self.frameDuration = frameDuration
    self.frameCount = frameCount
  }

  /// The frames whose instants lie in a range.
  func frames(in range: TimeRange) throws(TimeError) -> Range<Int> {
    let first = Int(try range.start.ticks(of: frameDuration, rounding: .up))
    let end = Int(try range.end.ticks(of: frameDuration, rounding: .up))
    let clamped = min(max(first, 0), frameCount)
    return clamped..<max(min(max(end, 0), frameCount), clamped)
  }

  /// The instant that a frame shows.
  func time(of frame: Int) throws(TimeError) -> RationalTime { try frameDuration * Int64(frame) }
}
