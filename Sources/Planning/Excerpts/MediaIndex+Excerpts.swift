import Timeline

extension MediaIndex {
  /// The media index of a recording that is still being recorded: the frames of its excerpts, and then frames that are
  /// only expected.
  ///
  /// Expected frames stand for what will be recorded, so that a project can use it. They are never rendered.
  ///
  /// - Parameters:
  ///   - excerpts: the excerpts in order.
  ///   - expected: the length of the expected part, in seconds.
  /// - Returns: `nil` if the first excerpt has no frame of its own.
  public init?(
    growing excerpts: [RecordingExcerpt], expecting expected: RationalTime
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
}

/// The frames of excerpts, one after the other.
private struct JoinedFrames {
  private var times: [Int64] = []
  private(set) var end: Int64?
  private var keyframes: [FrameTable.Keyframe] = []
  private var starts: [Int] = []
  private var references: [Int: [Int]] = [:]
  private var ends: [Int] = []
  private var delay = 0
  private var peak: Int?

  var frames: FrameTable { FrameTable(times: times, end: end ?? 0, keyframes: keyframes) }

  /// Adds an excerpt's own frames.
  mutating func add(_ own: Range<Int>, of stream: VideoStream) {
    let table = stream.frames
    let shift = times.count - own.lowerBound
    times += table.times[own]
    let next = own.upperBound < table.times.count ? table.times[own.upperBound] : table.end
    end = next
    keyframes += table.keyframes.filter { $0.time >= table.times[own.lowerBound] && $0.time < next }
    guard let points = stream.copying else { return }
    for start in points.starts where own.contains(start) {
      starts.append(start + shift)
      references[start + shift] = points.references(before: start)
    }
    let last = ends.last ?? -1
    ends += points.listedEnds.filter { own.contains($0) || $0 == own.upperBound }.map { $0 + shift }
      .filter { $0 > last }
    delay = max(delay, points.delay)
    peak = [peak, points.peakBitRate].compactMap(\.self).max()
  }

  /// Adds frames that are only expected, at the rate of the frames before them.
  mutating func expect(_ length: RationalTime, after stream: VideoStream) throws(TimeError) {
    guard let last = times.last else { return }
    let count = times.count
    let limit = try last + length.ticks(of: stream.timeBase, rounding: .up)
    var known = stream
    known.frames = frames
    if let steady = SteadyFrames(known), let number = steady.numbers.last {
      var next = number + 1
      while true {
        let time = try (steady.origin + steady.frameDuration * next)
          .ticks(of: stream.timeBase, rounding: .nearest)
        guard time < limit else { break }
        if time > times[times.count - 1] { times.append(time) }
        next += 1
      }
    } else {
      let step = max(1, count > 1 ? last - times[count - 2] : (end ?? last) - last)
      var next = last + step
      while next < limit {
        times.append(next)
        next += step
      }
    }
    end = limit
    // Whatever follows may turn out to be copied.
    ends += stride(from: max(count, (ends.last ?? -1) + 1), through: times.count, by: 1)
  }

  /// The points at which the frames can be copied; `nil` if those of the first excerpt cannot.
  func copying(like first: CopyPoints?) -> CopyPoints? {
    guard let first else { return nil }
    return CopyPoints(
      starts: starts, references: references, ends: ends, delay: delay, profile: first.profile,
      parameterSetIDs: first.parameterSetIDs, sequenceHeaders: first.sequenceHeaders,
      chromaPosition: first.chromaPosition, peakBitRate: peak)
  }
}
