import Timeline

extension MediaIndex {
  /// Creates the media index of a recording that has not ended: the frames of its excerpts, then placeholder frames at
  /// the same rate, which are never rendered. Fails if the first excerpt has no frame of its own.
  ///
  /// - Parameters:
  ///   - excerpts: the excerpts in order.
  ///   - expected: the length of the part with placeholders, in seconds.
  /// - Throws: `TimeError` if a time is out of range.
  public init?(
    growing excerpts: [IndexedExcerpt], expecting expected: RationalTime
  ) throws(TimeError) {
    guard let first = excerpts.first, var stream = first.stream, first.ownFrames != nil else {
      return nil
    }
    self = first.index
    var joined = JoinedFrames()
    for excerpt in excerpts {
      guard let next = excerpt.stream, let own = excerpt.ownFrames,
        next.timeBase == stream.timeBase, next.parameterSets == stream.parameterSets,
        joined.end.map({ $0 <= next.frames.times[own.lowerBound] }) ?? true
      else { break }
      joined.add(own, of: next)
    }
    stream.opening = first.opening
    try joined.expect(expected, after: stream)
    stream.frames = joined.frames
    stream.copying = joined.copying(like: stream.copying)
    stream.damage = nil
    video[0] = stream
    let end = try stream.timeBase * joined.frames.end
    for number in audio.indices {
      audio[number].end = try end.ticks(of: audio[number].timeBase, rounding: .nearest)
    }
    duration = try end - start
  }

  /// The media index of a complete recording for a project that follows it. The first excerpt decides the same as while
  /// the recording grew.
  public func following(_ recording: ExcerptedRecording) -> MediaIndex {
    guard let first = recording.excerpts.first, !video.isEmpty else { return self }
    var index = self
    index.video[0].nominalFrameRate = first.stream?.nominalFrameRate
    index.video[0].opening = first.opening
    return index
  }
}
