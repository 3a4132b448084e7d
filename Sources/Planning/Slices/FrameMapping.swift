import Timeline

/// Maps output frames to the frames of a stream that they show, for contiguous track segments, in exact arithmetic.
struct FrameMapping: Sendable {
  /// Output frame n shows the source instant `source.start + (n × frameDuration − target.start) × speed` after the
  /// asset's time zero; in the stream's units, that is `(slope × n + offset) / divisor`, rounded down.
  fileprivate struct Piece {
    /// The first output frame of the piece.
    let first: Int
    let slope: Int128
    let offset: Int128
    let divisor: Int128
  }

  /// The pieces, ordered by first frame. The first one also applies to all earlier frames.
  private var pieces: [Piece] = []
  private let isStillImage: Bool
  /// The start of each frame of the stream, in whole units: ticks, or frames of its constant rate if its times only
  /// approximate that rate.
  private let beginnings: [Int64]
  /// The frames that lie completely within the played ranges; `nil` if the segments play at another speed.
  private let wholeFrames: Range<Int>?
  /// The frames of an excerpt, if the segments show a recording through one of its excerpts, with the offset from an
  /// index in the recording to the index in the excerpt.
  private var excerpt: (frames: Range<Int>, shift: Int)?

  /// Creates the mapping for segments of an asset.
  ///
  /// - Parameter steady: the stream's frames on the grid of their rate, if their times only approximate it.
  /// - Throws: ``TimeError/overflow`` if the times have no common denominator in 64 bits.
  init(
    _ segments: some Collection<TrackSegment>, stream: VideoStream, steady: SteadyFrames?,
    index: MediaIndex, grid: OutputGrid
  ) throws(TimeError) {
    isStillImage = index.isStillImage
    beginnings = steady?.numbers ?? stream.frames.times
    let unit = steady?.frameDuration ?? stream.timeBase
    let start = try index.start - (steady?.origin ?? .zero)
    let end = steady.flatMap { $0.numbers.last.map { $0 + 1 } } ?? stream.frames.end
    // On the grid of its rate, a frame whose time is rounded to ticks starts up to two of them before that time.
    wholeFrames = try Self.wholeFrames(
      of: segments, beginnings, end: end, unit: unit, start: start,
      tolerance: steady == nil ? .zero : stream.timeBase * 2)
    for segment in segments {
      let frames = try grid.frames(in: segment.target)
      guard !frames.isEmpty || pieces.isEmpty else { continue }
      let speed = try segment.speed
      let shift = try segment.source.start - segment.target.start * speed + start
      let step = try grid.frameDuration * speed / unit
      let first = try shift / unit
      let piece = Piece(
        first: frames.lowerBound, slope: Int128(step.numerator) * Int128(first.denominator),
        offset: Int128(first.numerator) * Int128(step.denominator),
        divisor: Int128(step.denominator) * Int128(first.denominator))
      // Room for ten million frames.
      guard piece.slope.magnitude < 1 << 100 else { throw .overflow }
      if let last = pieces.last, last.first == piece.first { pieces.removeLast() }
      pieces.append(piece)
    }
  }

  /// The frames that start and end within the source of segments at their own speed.
  ///
  /// - Parameters:
  ///   - end: the end of the last frame, in whole units.
  ///   - start: the asset's time zero on the clock of `beginnings`, in seconds.
  ///   - tolerance: the time by which a frame may start before the source, in seconds.
  private static func wholeFrames(
    of segments: some Collection<TrackSegment>, _ beginnings: [Int64], end: Int64,
    unit: RationalTime, start: RationalTime, tolerance: RationalTime
  ) throws(TimeError) -> Range<Int>? {
    guard let source = segments.first?.source, !segments.contains(where: \.changesSpeed)
    else { return nil }
    var (begin, limit) = (source.start, source.end)
    for segment in segments {
      begin = min(begin, segment.source.start)
      limit = max(limit, segment.source.end)
    }
    let earliest = try (begin + start - tolerance).ticks(of: unit, rounding: .up)
    let latest = try (limit + start).ticks(of: unit)
    let first = beginnings.firstIndex(from: earliest)
    // A frame ends where the next one starts.
    let last = (end <= latest ? beginnings.count : beginnings.firstIndex(from: latest + 1) - 1)
    return first..<max(first, last)
  }

  /// The mapping to the frames of an excerpt.
  ///
  /// - Parameters:
  ///   - frames: the excerpt's frames that may be shown, by their indexes in the excerpt.
  ///   - shift: the offset from an index in the recording to the index in the excerpt.
  func showing(_ frames: Range<Int>, shiftedBy shift: Int) -> FrameMapping {
    var mapping = self
    mapping.excerpt = (frames, shift)
    return mapping
  }

  /// The index of a frame of the stream, or of the excerpt.
  private func shown(_ index: Int) -> Int {
    guard let excerpt else { return index }
    return min(max(index + excerpt.shift, excerpt.frames.lowerBound), excerpt.frames.upperBound - 1)
  }

  /// Whether the segments play at another speed than the stream's own.
  var changesSpeed: Bool { !isStillImage && wholeFrames == nil }

  /// The frames that the segments play completely but that no output frame shows, and the number of played frames;
  /// `nil` if the segments play at another speed.
  ///
  /// - Parameter outputs: the output frames that show the segments.
  func unshown(in outputs: Range<Int>) -> (frames: [Int], total: Int)? {
    guard !isStillImage, let wholeFrames, let first = outputs.first else { return nil }
    var unshown: [Int] = []
    var index = frame(for: first)
    unshown += wholeFrames.prefix { $0 < index }
    var number = pieces.lastIndex { $0.first <= first } ?? 0
    for output in outputs {
      while number + 1 < pieces.count, pieces[number + 1].first <= output { number += 1 }
      let instant = pieces[number].instant(of: output)
      var next = index
      while next + 1 < beginnings.count, beginnings[next + 1] <= instant { next += 1 }
      if next > index + 1 { unshown += (index + 1..<next).filter(wholeFrames.contains) }
      index = next
    }
    unshown += wholeFrames.clamped(to: max(index + 1, wholeFrames.lowerBound)..<Int.max)
    return (unshown, wholeFrames.count)
  }

  /// The index of the frame that an output frame shows: the last one that begins at or before its instant, or the first
  /// one if none does. It is 0 for a still image.
  func frame(for output: Int) -> Int {
    guard !isStillImage, let piece = pieces.last(where: { $0.first <= output }) ?? pieces.first
    else { return 0 }
    return shown(beginnings.lastIndex(upTo: piece.instant(of: output)))
  }

  /// The indexes of the frames that output frames show, in order.
  func frames(for outputs: Range<Int>) -> [Int] {
    guard let first = outputs.first, !isStillImage, !pieces.isEmpty else {
      return outputs.map { _ in 0 }
    }
    var number = pieces.lastIndex { $0.first <= first } ?? 0
    var index = beginnings.lastIndex(upTo: pieces[number].instant(of: first))
    return outputs.map { output in
      while number + 1 < pieces.count, pieces[number + 1].first <= output { number += 1 }
      let instant = pieces[number].instant(of: output)
      while index + 1 < beginnings.count, beginnings[index + 1] <= instant { index += 1 }
      return shown(index)
    }
  }
}

extension [Int64] {
  /// The index of the first element ≥ `limit` in an increasing array, or the count if there is none.
  fileprivate func firstIndex(from limit: Int64) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < limit { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension FrameMapping.Piece {
  /// The instant that an output frame shows in whole units, rounded down and clamped to 64 bits.
  fileprivate func instant(of output: Int) -> Int64 {
    let (quotient, remainder) = (slope * Int128(output) + offset)
      .quotientAndRemainder(dividingBy: divisor)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }
}

extension FrameRun {
  /// Divides frame times into runs, each of which is extended as long as the step stays the same.
  static func runs(of times: [Int64]) -> [FrameRun] {
    var runs: [FrameRun] = []
    for time in times {
      guard let last = runs.last else {
        runs.append(FrameRun(time: time, step: 0, count: 1))
        continue
      }
      let step = time - (last.time + last.step * Int64(last.count - 1))
      if last.count == 1 || step == last.step {
        runs[runs.count - 1].step = step
        runs[runs.count - 1].count += 1
      } else {
        runs.append(FrameRun(time: time, step: 0, count: 1))
      }
    }
    return runs
  }
}
