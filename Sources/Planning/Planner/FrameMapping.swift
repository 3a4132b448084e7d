import Timeline

/// Which frame of a stream each output frame shows, for one track segment, in exact arithmetic.
///
/// Output frame n shows the source instant `source.start + n × frameDuration − target.start` after the asset's time
/// zero; in ticks of the stream that is the linear function `(slope × n + offset) / divisor`, whose floor decides.
struct FrameMapping: Hashable, Sendable {
  private let slope: Int128
  private let offset: Int128
  private let divisor: Int128
  private let isStillImage: Bool

  /// The mapping for a segment of an asset.
  ///
  /// - Throws: ``TimeError/overflow`` where the times' fractions have too little in common.
  init(
    _ segment: TrackSegment, stream: VideoStream, index: MediaIndex, frameDuration: RationalTime
  ) throws(TimeError) {
    isStillImage = index.isStillImage
    let shift = try segment.source.start - segment.target.start + index.start
    let step = try frameDuration / stream.timeBase
    let first = try shift / stream.timeBase
    slope = Int128(step.numerator) * Int128(first.denominator)
    offset = Int128(first.numerator) * Int128(step.denominator)
    divisor = Int128(step.denominator) * Int128(first.denominator)
    // Room for ten million frames.
    guard slope.magnitude < 1 << 100 else { throw .overflow }
  }

  /// The index of the frame that an output frame shows: the last one that begins at or before its instant, the first
  /// where none does. A still image has one.
  func frame(for output: Int, in table: FrameTable) -> Int {
    guard !isStillImage else { return 0 }
    return table.frame(at: tick(for: output))
  }

  /// The tick of the stream on show, rounded down and held within 64 bits.
  private func tick(for output: Int) -> Int64 {
    let (quotient, remainder) = (slope * Int128(output) + offset)
      .quotientAndRemainder(dividingBy: divisor)
    return Int64(clamping: remainder < 0 ? quotient - 1 : quotient)
  }

  /// The indexes of the frames that output frames show, in order.
  func frames(for outputs: Range<Int>, in table: FrameTable) -> [Int] {
    guard let first = outputs.first else { return [] }
    var index = frame(for: first, in: table)
    return outputs.map { output in
      guard !isStillImage else { return 0 }
      let tick = tick(for: output)
      while index + 1 < table.times.count, table.times[index + 1] <= tick { index += 1 }
      return index
    }
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
