import Timeline

/// A range of output frames that consists of one stream's packets.
struct CopiedRange: Hashable {
  /// The output frames.
  let frames: Range<Int>
  /// The largest delay between decoding a packet and presenting it, in frames.
  let delay: Int
  /// The references before the first frame, if it is rewritten with them: ``CopyPoints/references(before:)``.
  let references: [Int]?
  /// The parameter sets that the stream's packets refer to: the out-of-band ones, or the sequence headers of AV1.
  let parameterSets: [[UInt8]]
  /// The asset's name if its frames are interlaced; `nil` otherwise.
  let interlacedAsset: String?
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
  }

  /// The ranges that can be copied, in order.
  func ranges(of slices: [DraftSlice]) throws(TimeError) -> [CopiedRange] {
    var runs: [Run] = []
    for slice in slices {
      guard let layer = try passing(slice) else { continue }
      for frames in try uncovered(slice.frames, of: slice) {
        let shown = layer.mapping.frames(for: frames)
        for (frame, index) in zip(frames, shown) {
          if let last = runs.last, last.goesOn(layer, at: frame, showing: index) {
            runs[runs.count - 1].output = last.output.lowerBound..<frame + 1
          } else {
            runs.append(Run(layer: layer, output: frame..<frame + 1, first: index))
          }
        }
      }
    }
    let fewest = min(Self.fewestFrames, slices.reduce(0) { $0 + $1.frames.count })
    return runs.flatMap { copied($0, fewest: fewest) }
  }

  /// The layer whose pictures a slice shows unchanged; `nil` if there is none, or if its format differs.
  private func passing(_ slice: DraftSlice) throws(TimeError) -> DraftLayer? {
    guard slice.layers.count == 1, slice.placedAnimations.isEmpty, let layer = slice.layers.first,
      !layer.index.isStillImage, format.isShared(by: layer.stream),
      layer.stream.size == renderSize
    else { return nil }
    let range = try TimeRange(
      start: grid.time(of: slice.frames.lowerBound), end: grid.time(of: slice.frames.upperBound))
    return layer.instruction.hasEffect(during: range) ? nil : layer
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

  private func copied(_ run: Run, fewest: Int) -> [CopiedRange] {
    guard let points = run.layer.stream.copying, let part = points.part(of: run.first..<run.next),
      part.count >= fewest
    else { return [] }
    let shift = run.output.lowerBound - run.first
    return segments(of: part, points).map { frames in
      CopiedRange(
        frames: frames.lowerBound + shift..<frames.upperBound + shift, delay: points.delay,
        references: points.references(before: frames.lowerBound),
        parameterSets: points.sequenceHeaders ?? [run.layer.stream.parameterSets],
        interlacedAsset: run.layer.stream.isInterlaced ? run.layer.asset : nil)
    }
  }

  /// The frames of a part that are copied, divided into segments.
  private func segments(of part: Range<Int>, _ points: CopyPoints) -> [Range<Int>] {
    let step = secondsInFrames
    let (usual, longest) = (step + step / 2, Self.mostSteps * step)
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
}

extension VideoStream {
  /// Whether the file declares its frames as interlaced.
  fileprivate var isInterlaced: Bool { !["progressive", "unknown"].contains(fieldOrder) }
}
