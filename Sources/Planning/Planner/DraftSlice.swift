import Timeline

/// A run of output frames over which the same layers show the same track segments, before it is cut into segments.
struct DraftSlice {
  /// The output frames.
  let frames: Range<Int>
  /// What shows where no layer does.
  let backgroundColor: Colour
  /// The layers that show something, topmost first.
  let layers: [DraftLayer]

  /// Whether decoding begins afresh at an output frame in all layers, so that a cut there costs no preroll.
  func decodesAfresh(at frame: Int) -> Bool {
    frame == frames.lowerBound || layers.allSatisfy { $0.decodesAfresh(at: frame) }
  }
}

/// One layer of a slice with the stream that it shows.
struct DraftLayer {
  /// How the layer is shown.
  let instruction: LayerInstruction
  /// The asset's name.
  let asset: String
  /// The asset's index.
  let index: MediaIndex
  /// The stream on show.
  let stream: VideoStream
  /// Which frame of the stream each output frame shows.
  let mapping: FrameMapping

  fileprivate func decodesAfresh(at frame: Int) -> Bool {
    guard !index.isStillImage else { return true }
    let table = stream.frames
    let (before, now) = (
      table.times[mapping.frame(for: frame - 1, in: table)],
      table.times[mapping.frame(for: frame, in: table)]
    )
    guard let keyframe = table.keyframe(atOrBefore: now) else { return false }
    return before < keyframe.time && keyframe.time <= now
  }
}

/// Works out the slices of a project with its video composition.
struct SliceDrafter {
  /// A track's segments on the output grid.
  private struct GridTrack {
    var segments: [(frames: Range<Int>, segment: TrackSegment)] = []

    /// The number of the first segment that ends after a frame.
    func firstSegment(endingAfter frame: Int) -> Int {
      var (low, high) = (0, segments.count)
      while low < high {
        let middle = (low + high) / 2
        if segments[middle].frames.upperBound <= frame { low = middle + 1 } else { high = middle }
      }
      return low
    }
  }

  private let grid: OutputGrid
  private let indexes: [String: MediaIndex]
  private var tracks: [Int: GridTrack] = [:]

  /// A drafter over a validated composition.
  init(
    _ composition: Composition, indexes: [String: MediaIndex], grid: OutputGrid
  ) throws(TimeError) {
    self.grid = grid
    self.indexes = indexes
    for track in composition.tracks where track.mediaType == .video {
      var gridTrack = GridTrack()
      for segment in track.segments {
        let frames = try grid.frames(in: segment.target)
        if !frames.isEmpty { gridTrack.segments.append((frames, segment)) }
      }
      tracks[track.id] = gridTrack
    }
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
        for layer in instruction.layers {
          if let draft = try draft(layer, at: first) { layers.append(draft) }
        }
        slices.append(
          DraftSlice(
            frames: first..<end, backgroundColor: instruction.backgroundColor, layers: layers))
      }
    }
    return slices
  }

  /// Where the instruction, or a track segment that it shows, begins or ends.
  private func edges(of instruction: Instruction, within frames: Range<Int>) -> [Int] {
    var edges: Set<Int> = [frames.lowerBound, frames.upperBound]
    for layer in instruction.layers {
      guard let track = tracks[layer.track] else { continue }
      let first = track.firstSegment(endingAfter: frames.lowerBound)
      for (range, _) in track.segments[first...] {
        guard range.lowerBound < frames.upperBound else { break }
        for edge in [range.lowerBound, range.upperBound] where frames.contains(edge) {
          edges.insert(edge)
        }
      }
    }
    return edges.sorted()
  }

  /// The layer with what its track shows at a frame; `nil` in a gap.
  private func draft(_ layer: LayerInstruction, at frame: Int) throws(TimeError) -> DraftLayer? {
    guard let track = tracks[layer.track] else { return nil }
    let number = track.firstSegment(endingAfter: frame)
    guard number < track.segments.count, track.segments[number].frames.contains(frame),
      let index = indexes[track.segments[number].segment.asset]
    else { return nil }
    let segment = track.segments[number].segment
    let stream = index.video[segment.trackIndex]
    return DraftLayer(
      instruction: layer, asset: segment.asset, index: index, stream: stream,
      mapping: try FrameMapping(
        segment, stream: stream, index: index, frameDuration: grid.frameDuration))
  }
}
