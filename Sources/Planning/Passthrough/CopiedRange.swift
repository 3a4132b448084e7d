import Timeline

/// A range of output frames that consists of one stream's packets.
struct CopiedRange: Hashable {
  /// The frames of the output.
  let frames: Range<Int>
  /// The largest delay between decoding a packet and presenting it, in frames.
  let delay: Int
  /// The references before the first frame, if it is rewritten with them: ``CopyPoints/references(before:)``.
  let references: [Int]?
  /// The parameter sets that the stream's packets refer to: the out-of-band ones, or the sequence headers of AV1.
  let parameterSets: [[UInt8]]
  /// The ids of H.264's parameter sets in that stream.
  let parameterSetIDs: [Int]
  /// The field that is shown first; `nil` if the frames are progressive.
  let firstField: VideoSettings.Field?
  /// The asset's name.
  let asset: String
}

/// The output frames that can be copied, and why the others cannot.
struct CopySurvey {
  /// The ranges that can be copied, in order.
  var copied: [CopiedRange] = []
  /// The other ranges, in order, each with the reason for encoding it.
  var encoded: [(frames: Range<Int>, method: SegmentMethod)] = []
  /// The number of frames that are shown unchanged, including those that no keyframe allows to copy.
  var unchangedCount = 0

  fileprivate mutating func add(_ frames: Range<Int>, _ method: SegmentMethod) {
    if !frames.isEmpty { encoded.append((frames, method)) }
  }
}

/// Finds the parts of a timeline that can be copied.
struct CopyFinder {
  /// The minimum number of frames in a copied segment, unless the whole timeline has fewer.
  private static let fewestFrames = PlanOptions.minimumFrames
  /// The number of consecutive frames up to which all of them are encoded if an animation layer covers one.
  private static let coarsestLook = 16
  /// The length of a copied segment if keyframes allow it, in seconds.
  private static let secondsInSegment: Int64 = 60
  /// The number of such lengths after which a segment ends even if the next keyframe has leading frames, which are then
  /// encoded between the two segments. A longer chunk would be too large to deliver.
  private static let mostSteps = 5
  /// The lengths at the highest bit rate of the stream, in bytes, that have the same effect for footage with a high bit
  /// rate. By default, a coordinator refuses chunks of more than 4 GiB; plans do not depend on the farm's settings.
  private static let (usualBytes, mostBytes): (Int128, Int128) = (2 << 30, 3 << 30)

  /// The source whose format copied pictures must have.
  let format: PassthroughSource
  let grid: OutputGrid
  let renderSize: PixelSize
  let animation: AnimationFlattener?

  /// Consecutive output frames that show consecutive frames of one stream.
  private struct Run {
    let layer: DraftLayer
    var output: Range<Int>
    let first: Int

    /// The stream's frame that would continue the run.
    var next: Int { first + output.count }

    func goesOn(_ layer: DraftLayer, at frame: Int, showing index: Int) -> Bool {
      frame == output.upperBound && index == next && layer.asset == self.layer.asset
        && layer.stream.streamIndex == self.layer.stream.streamIndex
    }

    /// The time of a frame of the stream in its asset, in seconds.
    func time(of frame: Int) throws(TimeError) -> RationalTime {
      try layer.stream.timeBase * layer.stream.frames.times[frame] - layer.index.start
    }
  }

  /// Finds the frames of a timeline that can be copied, and the reasons for encoding the others.
  ///
  /// - Parameter count: the number of frames of the whole timeline, some of which may not be recorded yet.
  func survey(
    of slices: [DraftSlice], amongFrames count: Int
  ) throws(TimeError) -> CopySurvey {
    var survey = CopySurvey()
    var runs: [Run] = []
    for slice in slices {
      if let obstacle = try obstacle(of: slice) {
        survey.add(slice.frames, SegmentMethod(obstacle))
        continue
      }
      let layer = slice.layers[0]
      var next = slice.frames.lowerBound
      for frames in try uncovered(slice.frames, of: slice) {
        survey.add(next..<frames.lowerBound, SegmentMethod(.layers))
        next = frames.upperBound
        let shown = layer.mapping.frames(for: frames)
        for (frame, index) in zip(frames, shown) {
          if let last = runs.last, last.goesOn(layer, at: frame, showing: index) {
            runs[runs.count - 1].output = last.output.lowerBound..<frame + 1
          } else {
            runs.append(Run(layer: layer, output: frame..<frame + 1, first: index))
          }
        }
      }
      survey.add(next..<slice.frames.upperBound, SegmentMethod(.layers))
    }
    let fewest = min(Self.fewestFrames, count)
    survey.unchangedCount = runs.reduce(0) { $0 + $1.output.count }
    var rates = RateComparison(frameDuration: grid.frameDuration)
    for run in runs { try add(run, fewest: fewest, rates: &rates, to: &survey) }
    survey.encoded.sort { $0.frames.lowerBound < $1.frames.lowerBound }
    return survey
  }

  /// The reason why a slice does not show the unchanged pictures of a single layer in the output's format; `nil` if it
  /// does.
  private func obstacle(of slice: DraftSlice) throws(TimeError) -> SegmentMethod.Kind? {
    guard slice.placedAnimations.isEmpty else { return .layers }
    guard let layer = slice.layers.first else { return .empty }
    guard slice.layers.count == 1 else { return .blended }
    if layer.index.isStillImage { return .still }
    if let difference = format.difference(of: layer.stream) { return difference }
    guard layer.stream.size == renderSize else { return .size }
    let range = try TimeRange(
      start: grid.time(of: slice.frames.lowerBound), end: grid.time(of: slice.frames.upperBound))
    return layer.instruction.hasEffect(during: range) ? .altered : nil
  }

  /// The parts of a range that no animation layer covers.
  private func uncovered(_ frames: Range<Int>, of slice: DraftSlice) throws(TimeError)
    -> [Range<Int>]
  {
    guard let animation, animation.track == nil, slice.isPostProcessed else { return [frames] }
    if try animation.overlay(of: frames) == nil { return [frames] }
    guard frames.count > Self.coarsestLook else { return [] }
    let middle = frames.lowerBound + frames.count / 2
    return try uncovered(frames.lowerBound..<middle, of: slice)
      + uncovered(middle..<frames.upperBound, of: slice)
  }

  /// Adds the longest part of a run that can be copied, and the rest of it.
  private func add(
    _ run: Run, fewest: Int, rates: inout RateComparison, to survey: inout CopySurvey
  ) throws(TimeError) {
    guard let points = run.layer.stream.copying, let part = points.part(of: run.first..<run.next),
      part.count >= fewest
    else { return survey.add(run.output, try reason(for: run, rates: &rates)) }
    let shift = run.output.lowerBound - run.first
    var next = run.first
    for frames in segments(of: part, points) {
      survey.add(
        next + shift..<frames.lowerBound + shift,
        .encoded(beforeKeyframeAt: try run.time(of: frames.lowerBound)))
      survey.copied.append(
        CopiedRange(
          frames: frames.lowerBound + shift..<frames.upperBound + shift, delay: points.delay,
          references: points.references(before: frames.lowerBound),
          parameterSets: points.sequenceHeaders ?? [run.layer.stream.parameterSets],
          parameterSetIDs: points.parameterSetIDs,
          firstField: run.layer.stream.firstField, asset: run.layer.asset))
      next = frames.upperBound
    }
    survey.add(next + shift..<run.output.upperBound, SegmentMethod(.order))
  }

  /// The reason why nothing of a run is copied.
  private func reason(
    for run: Run, rates: inout RateComparison
  ) throws(TimeError) -> SegmentMethod {
    if run.layer.mapping.changesSpeed { return SegmentMethod(.speed) }
    if rates.differs(run.layer) { return SegmentMethod(.rate) }
    guard let points = run.layer.stream.copying else { return SegmentMethod(.packets) }
    guard let start = points.start(atOrAfter: run.first) else { return SegmentMethod(.cut) }
    if start >= run.next { return .encoded(beforeKeyframeAt: try run.time(of: start)) }
    return SegmentMethod(.short)
  }

  /// The frames of a part that are copied, divided into segments.
  private func segments(of part: Range<Int>, _ points: CopyPoints) -> [Range<Int>] {
    let step = min(secondsInFrames, count(of: points, in: Self.usualBytes))
    let longest = min(Self.mostSteps * secondsInFrames, count(of: points, in: Self.mostBytes))
    // At most `longest`, because the largest number of bytes is half more than the usual one.
    let usual = step + step / 2
    var segments: [Range<Int>] = []
    var rest = part
    while rest.count > usual {
      let next: Int
      if let division = points.division(atOrAfter: rest.lowerBound + step),
        division <= rest.lowerBound + longest, division < rest.upperBound
      {
        next = division
        segments.append(rest.lowerBound..<division)
      } else if let start = points.start(atOrAfter: rest.lowerBound + longest),
        start < rest.upperBound, let end = points.end(atOrBefore: start), end > rest.lowerBound
      {
        next = start
        segments.append(rest.lowerBound..<end)
      } else {
        break
      }
      rest = next..<rest.upperBound
    }
    return segments + [rest]
  }

  private var secondsInFrames: Int {
    let frames = try? RationalTime(Self.secondsInSegment).ticks(
      of: grid.frameDuration, rounding: .up)
    return max(frames.map { Int(clamping: $0) } ?? 0, 1)
  }

  /// The number of a stream's frames that certainly fit into a number of bytes.
  private func count(of points: CopyPoints, in bytes: Int128) -> Int {
    guard let peak = points.peakBitRate, peak > 0 else { return .max }
    let (bits, duration) = (8 * bytes, grid.frameDuration)
    let frames = bits * Int128(duration.denominator) / (Int128(peak) * Int128(duration.numerator))
    return max(Int(clamping: frames), 1)
  }
}

/// Compares the frame rates of streams with that of the output, each stream once.
private struct RateComparison {
  private struct Stream: Hashable {
    let asset: String
    let index: Int
  }

  private let frameDuration: RationalTime
  private var known: [Stream: Bool] = [:]

  /// Creates a comparison with an output whose frames have a length in seconds.
  init(frameDuration: RationalTime) { self.frameDuration = frameDuration }

  mutating func differs(_ layer: DraftLayer) -> Bool {
    let stream = Stream(asset: layer.asset, index: layer.stream.streamIndex)
    if let known = known[stream] { return known }
    var differs = true
    if case .steady(let own)? = FrameRhythm(of: layer.stream) {
      differs = (try? own * frameDuration) != RationalTime(1)
    }
    known[stream] = differs
    return differs
  }
}
