import Timeline

/// Which frame of a stream each output frame shows, for track segments that play on from one to the next, in exact
/// arithmetic.
struct FrameMapping: Sendable {
  /// Output frame n shows the source instant `source.start + (n × frameDuration − target.start) × speed` after the
  /// asset's time zero; in the stream's units that is the linear function `(slope × n + offset) / divisor`, whose floor
  /// decides.
  fileprivate struct Piece {
    /// The first output frame that the piece is for.
    let first: Int
    let slope: Int128
    let offset: Int128
    let divisor: Int128
  }

  /// The pieces by increasing first frame; the first one is for all frames before as well.
  private var pieces: [Piece] = []
  private let isStillImage: Bool
  /// When each frame of the stream begins, in whole units: ticks, or frames of its constant rate where its times are
  /// rounded.
  private let beginnings: [Int64]

  /// The mapping for segments of an asset.
  ///
  /// - Parameter rounded: the stream's exact instants, where its times are rounded.
  /// - Throws: ``TimeError/overflow`` where the times' fractions have too little in common.
  init(
    _ segments: some Collection<TrackSegment>, stream: VideoStream, rounded: RoundedTimes?,
    index: MediaIndex, grid: OutputGrid
  ) throws(TimeError) {
    isStillImage = index.isStillImage
    beginnings = rounded?.numbers ?? stream.frames.times
    let unit = rounded?.frameDuration ?? stream.timeBase
    let start = try index.start - (rounded?.origin ?? .zero)
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

  /// The index of the frame that an output frame shows: the last one that begins at or before its instant, the first
  /// where none does. A still image has one.
  func frame(for output: Int) -> Int {
    guard !isStillImage, let piece = pieces.last(where: { $0.first <= output }) ?? pieces.first
    else { return 0 }
    return beginnings.lastIndex(upTo: piece.instant(of: output))
  }

  /// The indexes of the frames that output frames show, in order.
  func frames(for outputs: Range<Int>) -> [Int] {
    guard let first = outputs.first, !isStillImage, !pieces.isEmpty else {
      return outputs.map { _ in 0 }
    }
    var index = frame(for: first)
    var number = pieces.lastIndex { $0.first <= first } ?? 0
    return outputs.map { output in
      while number + 1 < pieces.count, pieces[number + 1].first <= output { number += 1 }
      let instant = pieces[number].instant(of: output)
      while index + 1 < beginnings.count, beginnings[index + 1] <= instant { index += 1 }
      return index
    }
  }
}

extension FrameMapping.Piece {
  /// The instant on show in whole units, rounded down and held within 64 bits.
  fileprivate func instant(of output: Int) -> Int64 {
    let (quotient, remainder) = (slope * Int128(output) + offset)
      .quotientAndRemainder(dividingBy: divisor)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }
}

extension FrameRun {
  /// Frame times in as few runs as a walk from the first to the last makes.
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
