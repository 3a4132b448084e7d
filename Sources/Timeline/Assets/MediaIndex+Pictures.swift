extension MediaIndex {
  /// Audio that continues for at most this time after the last frame is cut off, in seconds. Longer audio plays over
  /// the last frame.
  static let longestCutSound = RationalTime.reciprocal(2)

  /// The range of the asset that its first video stream shows, in seconds of the asset: from the start of its first
  /// frame to the end of its last one. `nil` without frames.
  ///
  /// With a constant rate, the range is a whole number of frames, so joined clips neither lose nor repeat a frame.
  package func pictures() throws(TimeError) -> TimeRange? {
    guard let stream = video.first, let first = stream.frames.times.first,
      let last = stream.frames.times.last
    else { return nil }
    let start = try stream.timeBase * first - self.start
    let end = try stream.timeBase * stream.frames.end - self.start
    guard case .steady(let rate) = FrameRhythm(of: stream), stream.frames.times.count > 1 else {
      return try TimeRange(start: start, end: end)
    }
    let frame = try RationalTime(1) / rate
    let numbers = SteadyFrames(stream)?.numbers
    let lastNumber =
      numbers.map { $0[$0.count - 1] - $0[0] } ?? Int64(stream.frames.times.count - 1)
    let lastLength = try (stream.timeBase * (stream.frames.end - last))
      .ticks(of: frame, rounding: .nearest)
    return try TimeRange(start: start, duration: frame * (lastNumber + max(lastLength, 1)))
  }

  /// The range of the asset that a clip without in and out points plays, in seconds of the asset: its video, and the
  /// rest of its audio if that continues for more than ``longestCutSound``. `nil` without frames.
  package func wholeClip() throws(TimeError) -> TimeRange? {
    guard let pictures = try pictures() else { return nil }
    guard try duration - pictures.end > Self.longestCutSound else { return pictures }
    return try TimeRange(start: pictures.start, end: duration)
  }

  /// The latest possible end of a clip, in seconds of the asset: the end of its streams, or of its last whole frame.
  package func lastEnd() throws(TimeError) -> RationalTime {
    max(duration, try pictures()?.end ?? .zero)
  }
}
