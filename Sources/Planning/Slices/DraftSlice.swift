import Timeline

/// A run of output frames over which the same layers show the same track segments, before it is cut into segments.
struct DraftSlice {
  /// The output frames.
  let frames: Range<Int>
  /// The color where no layer is shown.
  let backgroundColor: Color
  /// The layers that show something, topmost first.
  let layers: [DraftLayer]
  /// The layer instructions that place the animation's track, each with how many of the layers lie above it.
  var placedAnimations: [(above: Int, instruction: LayerInstruction)] = []
  /// Whether the animation is drawn over the slice.
  var isPostProcessed = true
  /// Whether a segment begins with the slice, because an excerpt of a recording does.
  var beginsSegment = false

  /// The part of the slice in a range of frames; `nil` if there is none.
  func clamped(to range: Range<Int>) -> DraftSlice? {
    let frames = frames.clamped(to: range)
    guard !frames.isEmpty else { return nil }
    return DraftSlice(
      frames: frames, backgroundColor: backgroundColor, layers: layers,
      placedAnimations: placedAnimations, isPostProcessed: isPostProcessed,
      beginsSegment: beginsSegment && frames.lowerBound == self.frames.lowerBound)
  }
}

/// One layer of a slice with the stream that it shows.
struct DraftLayer {
  /// How the layer is shown.
  let instruction: LayerInstruction
  /// The asset's name.
  let asset: String
  /// The media index of the asset.
  let index: MediaIndex
  /// The stream that it shows.
  let stream: VideoStream
  /// Which frame of the stream each output frame shows.
  let mapping: FrameMapping
  /// The length in bytes of an excerpt of a recording; `nil` for an asset of the submission.
  var byteCount: Int64?

  /// The number of frames that are decoded twice if a segment ends before an output frame, and the next one begins with
  /// it. `other` is the layer before the cut, which may be this one.
  ///
  /// Without the cut, a decoder continues from the last frame of `other`. With it, decoding starts again at a keyframe.
  func framesDecodedTwice(byCutAt frame: Int, after other: DraftLayer) -> Int {
    guard !index.isStillImage, asset == other.asset, stream.streamIndex == other.stream.streamIndex
    else { return 0 }
    let table = stream.frames
    let (last, next) = (other.mapping.frame(for: frame - 1), mapping.frame(for: frame))
    guard last <= next else { return 0 }
    guard let keyframe = table.keyframe(atOrBefore: table.times[next]),
      keyframe.time <= table.times[next]
    else { return last + 1 }
    guard keyframe.time <= table.times[last] else { return 0 }
    return last - table.frame(at: keyframe.time) + 1
  }

  /// The output frames in a range that are the first to show an interval of the source, which is divided into intervals
  /// of equal length from its first frame on.
  ///
  /// - Parameters:
  ///   - count: the length of an interval, in output frames.
  ///   - frameDuration: the length of an output frame, in seconds.
  func starts(ofEvery count: Int, of frameDuration: RationalTime, in frames: Range<Int>) -> [Int] {
    let times = stream.frames.times
    guard
      let length = try? (frameDuration * Int64(count)).ticks(
        of: stream.timeBase, rounding: .nearest), length > 0, let origin = times.first
    else { return [] }
    var starts: [Int] = []
    var last: Int64?
    for (frame, index) in zip(frames, mapping.frames(for: frames)) {
      // A file may claim times as far apart as 64 bits allow.
      let interval = (times[index] &- origin) / length
      if let last, interval != last { starts.append(frame) }
      last = interval
    }
    return starts
  }
}

/// Divides a composition into slices.
struct SliceDrafter {
  /// A track's segments on the output grid.
  private struct GridTrack {
    /// The runs of segments that continue one another.
    var runs: [(frames: Range<Int>, segments: ArraySlice<TrackSegment>)] = []

    /// The number of the first run that ends after a frame.
    func firstRun(endingAfter frame: Int) -> Int {
      var (low, high) = (0, runs.count)
      while low < high {
        let middle = (low + high) / 2
        if runs[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let grid: OutputGrid
  private let indexes: [String: MediaIndex]
  private let animationTrack: Int?
  private var tracks: [Int: GridTrack] = [:]
  /// The streams whose times only approximate a constant rate, by asset name and by their place among its video
  /// streams.
  private var steadyFrames: [String: [Int: SteadyFrames]] = [:]

  /// Creates a drafter for a validated composition.
  init(
    _ composition: Composition, indexes: [String: MediaIndex], grid: OutputGrid,
    animationTrack: Int? = nil
  ) throws(TimeError) {
    self.grid = grid
    self.animationTrack = animationTrack
    self.indexes = indexes
    for track in composition.tracks where track.mediaType == .video {
      var gridTrack = GridTrack()
      for run in track.runs {
        guard let first = run.first, let last = run.last else { continue }
        let frames = try grid.frames(
          in: TimeRange(start: first.target.start, end: last.target.end))
        if !frames.isEmpty { gridTrack.runs.append((frames, run)) }
      }
      tracks[track.id] = gridTrack
      for segment in track.segments where steadyFrames[segment.asset] == nil {
        let streams = indexes[segment.asset]?.video ?? []
        steadyFrames[segment.asset] = Dictionary(
          uniqueKeysWithValues: streams.enumerated().compactMap { place, stream in
            SteadyFrames(stream).map { (place, $0) }
          })
      }
    }
  }

  /// The frames of the tracks' assets that no output frame shows, although a track plays them completely at their own
  /// speed.
  ///
  /// - Parameter outputs: the exported output frames.
  func unshownFrames(in outputs: Range<Int>) throws(TimeError)
    -> [FrameRateReport.UnshownFrames]
  {
    var unshown = UnshownFramesByAsset()
    for (_, track) in tracks.sorted(by: { $0.key < $1.key }) {
      for run in track.runs where outputs.clamped(to: run.frames) == run.frames {
        guard let segment = run.segments.first, let index = indexes[segment.asset] else { continue }
        let stream = index.video[segment.trackIndex]
        let mapping = try mapping(
          of: run.segments, stream, steadyFrames[segment.asset]?[segment.trackIndex], index)
        try unshown.add(mapping, of: segment.asset, stream, index, in: run.frames)
      }
    }
    return unshown.assets
  }

  /// The slices of the instructions, contiguous from frame 0 to the last.
  func slices(of instructions: [Instruction]) throws(TimeError) -> [DraftSlice] {
    var slices: [DraftSlice] = []
    for instruction in instructions {
      let frames = try grid.frames(in: instruction.timeRange)
      guard !frames.isEmpty else { continue }
      let edges = edges(of: instruction, within: frames)
      for (first, end) in zip(edges, edges.dropFirst()) {
        var layers: [DraftLayer] = []
        var placed: [(above: Int, instruction: LayerInstruction)] = []
        for layer in instruction.layers {
          if layer.track == animationTrack {
            placed.append((layers.count, layer))
          } else if let draft = try draft(layer, at: first) {
            layers.append(draft)
          }
        }
        slices.append(
          DraftSlice(
            frames: first..<end, backgroundColor: instruction.backgroundColor, layers: layers,
            placedAnimations: placed, isPostProcessed: instruction.enablePostProcessing))
      }
    }
    return slices
  }

  /// The times at which the instruction, or a run of track segments that it shows, starts or ends.
  private func edges(of instruction: Instruction, within frames: Range<Int>) -> [Int] {
    var edges: Set<Int> = [frames.lowerBound, frames.upperBound]
    for layer in instruction.layers {
      guard let track = tracks[layer.track] else { continue }
      let first = track.firstRun(endingAfter: frames.lowerBound)
      for (range, _) in track.runs[first...] {
        guard range.lowerBound < frames.upperBound else { break }
        for edge in [range.lowerBound, range.upperBound] where frames.contains(edge) {
          edges.insert(edge)
        }
      }
    }
    return edges.sorted()
  }

  /// The layer with the stream that its track shows at a frame; `nil` in a gap.
  private func draft(_ layer: LayerInstruction, at frame: Int) throws(TimeError) -> DraftLayer? {
    guard let track = tracks[layer.track] else { return nil }
    let number = track.firstRun(endingAfter: frame)
    guard number < track.runs.count, track.runs[number].frames.contains(frame),
      let segment = track.runs[number].segments.first, let index = indexes[segment.asset]
    else { return nil }
    let stream = index.video[segment.trackIndex]
    return DraftLayer(
      instruction: layer, asset: segment.asset, index: index, stream: stream,
      mapping: try mapping(
        of: track.runs[number].segments, stream,
        steadyFrames[segment.asset]?[segment.trackIndex], index))
  }

  /// The mapping by a stream's exact instants, or by its ticks if the exact instants overflow.
  private func mapping(
    of segments: some Collection<TrackSegment>, _ stream: VideoStream, _ steady: SteadyFrames?,
    _ index: MediaIndex
  ) throws(TimeError) -> FrameMapping {
    do {
      return try FrameMapping(
        segments, stream: stream, steady: steady, index: index, grid: grid)
    } catch {
      guard steady != nil else { throw error }
      return try FrameMapping(segments, stream: stream, steady: nil, index: index, grid: grid)
    }
  }
}
