import Crypto
import ProjectFormat
import Timeline

/// Writes the description of a segment from the slices that it shows.
struct SegmentWriter {
  /// The stream of an asset, by content.
  private struct StreamKey: Hashable {
    let asset: Digest
    let streamIndex: Int
  }

  /// The sources of a segment, each once.
  private struct Sources {
    var list: [Source] = []
    private var numbers: [StreamKey: Int] = [:]

    /// The number of a source, which is added if it is new.
    mutating func number(of key: StreamKey, _ source: @autoclosure () -> Source) -> Int {
      if let number = numbers[key] { return number }
      numbers[key] = list.count
      list.append(source())
      return list.count - 1
    }
  }

  /// A source with the frames that are needed so far, as indexes into its whole table.
  private struct Source {
    let asset: Digest
    let name: String
    let stream: VideoStream
    let isStillImage: Bool
    var byteCount: Int64?
    /// The asset's time zero on the container's clock, in seconds.
    var start = RationalTime.zero
    var needed: [ClosedRange<Int>] = []
  }

  let grid: OutputGrid
  let renderSize: PixelSize
  let video: VideoSettings
  let indexes: [String: MediaIndex]
  let digests: [String: Digest]
  let workingFormat: WorkingFormat?
  let animation: AnimationFlattener?

  /// The description of the frames of a range.
  ///
  /// - Parameter slices: the slices that meet the range, in order.
  func description(of range: Range<Int>, showing slices: some Collection<DraftSlice>)
    throws -> SegmentDescription
  {
    var sources = Sources()
    var written: [InstructionSlice] = []
    for slice in slices {
      let frames = slice.frames.clamped(to: range)
      guard !frames.isEmpty else { continue }
      var layers: [LayerSlice] = []
      for (place, layer) in slice.layers.enumerated() {
        layers += try placed(slice, above: place, frames, &sources)
        guard let digest = digests[layer.asset] else { continue }
        let key = StreamKey(asset: digest, streamIndex: layer.stream.streamIndex)
        let number = sources.number(
          of: key,
          Source(
            asset: digest, name: layer.asset, stream: layer.stream,
            isStillImage: layer.index.isStillImage, byteCount: layer.byteCount,
            start: layer.index.start))
        let shown = layer.mapping.frames(for: frames)
        if let first = shown.first, let last = shown.last {
          sources.list[number].needed.append(first...last)
        }
        let start = try grid.time(of: frames.lowerBound)
        let end = try grid.time(of: frames.upperBound)
        layers.append(
          LayerSlice(
            source: number, frames: FrameRun.runs(of: shown.map { layer.stream.frames.times[$0] }),
            opacity: layer.instruction.opacity.restricted(from: start, to: end),
            transform: layer.instruction.transform.restricted(from: start, to: end),
            crop: layer.instruction.crop.restricted(from: start, to: end),
            backdrop: layer.instruction.backdrop,
            mask: layer.instruction.mask.flatMap {
              mask($0.restricted(from: start, to: end), &sources)
            }))
      }
      layers += try placed(slice, above: slice.layers.count, frames, &sources)
      written.append(
        InstructionSlice(
          first: frames.lowerBound, end: frames.upperBound,
          backgroundColor: slice.backgroundColor, layers: layers,
          overlay: slice.isPostProcessed ? try overlay(of: frames, &sources) : nil))
    }
    return SegmentDescription(
      first: range.lowerBound, end: range.upperBound, frameDuration: grid.frameDuration,
      renderSize: renderSize, video: video,
      sources: sources.list.map { source in
        var stream = source.stream
        stream.frames = stream.frames.restricted(to: source.needed)
        stream.opening = nil
        stream.copying = nil
        return SourceStream(
          asset: source.asset, name: source.name, stream: stream,
          isStillImage: source.isStillImage, byteCount: source.byteCount,
          start: source.start == .zero ? nil : source.start)
      },
      slices: written, workingFormat: workingFormat)
  }

  func description(of range: CopiedRange, showing slices: some Collection<DraftSlice>)
    throws -> SegmentDescription
  {
    var description = try description(of: range.frames, showing: slices)
    // Encoder settings do not affect copied packets.
    description.video = VideoSettings(codec: video.codec)
    description.workingFormat = nil
    description.copy = CopiedPart(
      source: 0, delay: range.delay, references: range.references)
    if let stream = slices.first?.layers.first?.stream {
      let table = description.sources[0].stream.frames
      description.sources[0].stream.frames = table.beginning(withKeyframeOf: stream.frames)
    }
    return description
  }

  /// The animation's layers, if a slice places it as a track directly below its first `place` layers.
  private func placed(
    _ slice: DraftSlice, above place: Int, _ frames: Range<Int>, _ sources: inout Sources
  ) throws -> [LayerSlice] {
    guard let animation else { return [] }
    var layers: [LayerSlice] = []
    for (above, instruction) in slice.placedAnimations where above == place {
      for layer in try animation.layers(of: frames, placedBy: instruction) {
        layers.append(try write(layer, &sources))
      }
    }
    return layers
  }

  private func overlay(
    of frames: Range<Int>, _ sources: inout Sources
  ) throws -> OverlaySlice? {
    guard let animation, animation.track == nil,
      let overlay = try animation.overlay(of: frames)
    else { return nil }
    var layers: [LayerSlice] = []
    for layer in overlay.layers { layers.append(try write(layer, &sources)) }
    return OverlaySlice(layers: layers, isOverVideo: overlay.isOverVideo)
  }

  /// The layer with its picture among the sources.
  ///
  /// - Throws: ``ProjectError`` if the layer's transform is out of range.
  private func write(
    _ flat: AnimationFlattener.FlatLayer, _ sources: inout Sources
  ) throws(ProjectError) -> LayerSlice {
    var layer = flat.layer
    guard layer.transform.values.allSatisfy(\.isWithinReach) else {
      throw ProjectError(tooLarge: flat.path)
    }
    if !flat.sublayers.isEmpty {
      layer.sublayers = try flat.sublayers.map { flat throws(ProjectError) in
        try write(flat, &sources)
      }
    }
    guard let tile = flat.tile else { return layer }
    layer.source = sources.number(
      of: StreamKey(asset: tile.asset, streamIndex: tile.stream.streamIndex),
      Source(
        asset: tile.asset, name: "\(flat.path)", stream: tile.stream, isStillImage: true,
        byteCount: tile.byteCount,
        needed: [0...0]))
    return layer
  }

  /// The mask with its map among the sources.
  private func mask(_ mask: Mask, _ sources: inout Sources) -> MaskSlice? {
    let shape: MaskSlice.Shape
    switch mask.shape {
    case .circle: shape = .circle
    case .clock: shape = .clock
    case .edge(let direction): shape = .edge(direction)
    case .map(let asset):
      guard let digest = digests[asset], let index = indexes[asset], let stream = index.video.first
      else { return nil }
      shape = .map(
        source: sources.number(
          of: StreamKey(asset: digest, streamIndex: stream.streamIndex),
          Source(
            asset: digest, name: asset, stream: stream, isStillImage: index.isStillImage,
            start: index.start, needed: [0...0])))
    }
    return MaskSlice(shape: shape, softness: mask.softness, progress: mask.progress)
  }
}

extension Mask {
  /// The mask with the part of its progress that applies to a range.
  fileprivate func restricted(from start: RationalTime, to end: RationalTime) -> Mask {
    Mask(
      shape: shape, softness: softness, progress: progress.restricted(from: start, to: end))
  }
}

extension FrameTable {
  /// The table with the keyframe at its first time, even if decoding cannot start there: a copy can.
  fileprivate func beginning(withKeyframeOf whole: FrameTable) -> FrameTable {
    guard let first = times.first, !keyframes.contains(where: { $0.time == first }),
      let keyframe = whole.keyframes.first(where: { $0.time == first })
    else { return self }
    return FrameTable(
      times: times, end: end, keyframes: (keyframes + [keyframe]).sorted { $0.time < $1.time })
  }

  /// A table with only the frames in some ranges of indexes and the keyframes to decode them from: the ``starts``
  /// within each range, the last one at or before it, and one more before that in case the nearest one is unusable.
  func restricted(to ranges: [ClosedRange<Int>]) -> FrameTable {
    var merged: [ClosedRange<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound + 1 {
        merged[merged.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    var kept: [Keyframe] = []
    var next = 0
    for range in merged {
      let low = max(startCount(upTo: times[range.lowerBound]) - 2, next)
      let high = startCount(upTo: times[range.upperBound])
      if low < high { kept += starts[low..<high] }
      next = max(high, next)
    }
    // An empty list of keyframes would mean that the times are not those of the frames.
    if kept.isEmpty { kept = Array((starts.isEmpty ? keyframes : starts).prefix(1)) }
    let last = merged.last?.upperBound ?? 0
    return FrameTable(
      times: merged.flatMap { times[$0] },
      end: last + 1 < times.count ? times[last + 1] : end, keyframes: kept)
  }
}
