import Timeline

/// Which frame of a stream each output frame shows, for track segments that play on from one to the next, in exact
/// arithmetic.
struct FrameMapping: Hashable, Sendable {
  /// Output frame n shows the source instant `source.start + (n × frameDuration − target.start) × speed` after the
  /// asset's time zero; in ticks of the stream that is the linear function `(slope × n + offset) / divisor`, whose floor
  /// decides.
  fileprivate struct Piece: Hashable {
    /// The first output frame that the piece is for.
    let first: Int
    let slope: Int128
    let offset: Int128
    let divisor: Int128
  }

  /// The pieces by increasing first frame; the first one is for all frames before as well.
  private var pieces: [Piece] = []
  private let isStillImage: Bool
  /// Whether an instant between two ticks counts as the later one, because the stream's times are rounded themselves.
  private let roundsUp: Bool

  /// The mapping for segments of an asset.
  ///
  /// - Throws: ``TimeError/overflow`` where the times' fractions have too little in common.
  init(
    _ segments: some Collection<TrackSegment>, stream: VideoStream, index: MediaIndex,
    grid: OutputGrid
  ) throws(TimeError) {
    isStillImage = index.isStillImage
    roundsUp = stream.hasRoundedTimes
    for segment in segments {
      let frames = try grid.frames(in: segment.target)
      guard !frames.isEmpty || pieces.isEmpty else { continue }
      let speed = try segment.speed
      let shift = try segment.source.start - segment.target.start * speed + index.start
      let step = try grid.frameDuration * speed / stream.timeBase
      let first = try shift / stream.timeBase
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
  func frame(for output: Int, in table: FrameTable) -> Int {
    guard !isStillImage, let piece = pieces.last(where: { $0.first <= output }) ?? pieces.first
    else { return 0 }
    return table.frame(at: piece.tick(for: output, roundingUp: roundsUp))
  }

  /// The indexes of the frames that output frames show, in order.
  func frames(for outputs: Range<Int>, in table: FrameTable) -> [Int] {
    guard let first = outputs.first, !isStillImage, !pieces.isEmpty else {
      return outputs.map { _ in 0 }
    }
    var index = frame(for: first, in: table)
    var number = pieces.lastIndex { $0.first <= first } ?? 0
    return outputs.map { output in
      while number + 1 < pieces.count, pieces[number + 1].first <= output { number += 1 }
      let tick = pieces[number].tick(for: output, roundingUp: roundsUp)
      while index + 1 < table.times.count, table.times[index + 1] <= tick { index += 1 }
      return index
    }
  }
}

extension FrameMapping.Piece {
  /// The tick of the stream on show, rounded and held within 64 bits.
  fileprivate func tick(for output: Int, roundingUp: Bool) -> Int64 {
    let (quotient, remainder) = (slope * Int128(output) + offset)
      .quotientAndRemainder(dividingBy: divisor)
    let floor = remainder < 0 ? quotient - 1 : quotient
    return Int64(clamping: roundingUp && remainder != 0 ? floor + 1 : floor)
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
