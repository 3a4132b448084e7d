import Media
import Planning
import Timeline

/// An open reader of a source stream, and the last picture made from it.
final class LayerReader<Sample: PictureSample> {
  /// The index of the stream in the segment's sources.
  let source: Int
  /// The time of the last frame that was read, in ticks of the stream; `nil` before the first.
  private(set) var position: Int64?
  /// Makes opaque pictures from the frames.
  private let picture: LayerPicture<Sample>?
  private let translucent: TranslucentLayer<Sample>
  private let blurred: BlurredPicture<Sample>?
  private let frames: Frames
  private let target: ColorSpace

  /// Whether it shows one image with alpha.
  var isStill: Bool {
    if case .still = frames { true } else { false }
  }

  /// The source of pictures.
  private enum Frames {
    case reader(FrameReader)
    case still(TranslucentStill)
    /// The instruction's own picture, which the caller provides.
    case video
  }

  /// Creates a reader of the stream at `index` of the segment's sources.
  init(
    source index: Int, frames: FrameReader, color: LayerColor<Sample>,
    blurred: BlurredPicture<Sample>, target: ColorSpace
  ) {
    (source, self.frames, self.target) = (index, .reader(frames), target)
    picture = LayerPicture(color: color)
    translucent = TranslucentLayer(target: target)
    self.blurred = blurred
  }

  /// Creates a reader of a still image with alpha.
  init(source index: Int, still: TranslucentStill, target: ColorSpace) {
    (source, frames, self.target) = (index, .still(still), target)
    (picture, blurred) = (nil, nil)
    translucent = TranslucentLayer(target: target)
  }

  /// Creates a reader of an instruction's composited pictures.
  init(videoIn target: ColorSpace) {
    (source, frames, self.target) = (LayerSlice.compositedVideo, .video, target)
    picture = LayerPicture(color: LayerColor(in: target))
    translucent = TranslucentLayer(target: target)
    blurred = nil
  }

  /// The frame at `time` with the layer's look, and the backdrop if the look has one, topmost first.
  ///
  /// - Parameters:
  ///   - video: the instruction's own picture at `time`.
  ///   - solid: returns a picture of the output's size in a color.
  func parts(
    at time: Int64, for look: LayerLook, video: Frame?, solid: (Color) throws -> Frame
  ) throws -> [ShownLayer] {
    // The picture is released before the next frame is decoded, so that there are never two.
    if position != time { picture?.letGo() }
    let frame: Frame? =
      switch frames {
      case .reader(let reader): try reader.frame(at: time)
      case .still: nil
      case .video: video
      }
    position = time
    var parts: [ShownLayer] = []
    if let placement = look.placement {
      if placement.isTranslucent {
        parts += try translucentPart(look, placement, frame, time: time)
      } else if let frame, let picture {
        let prepared = try picture.prepare(frame, time: time, for: placement)
        parts.append(ShownLayer(prepared, at: placement, matte: picture.matte))
      }
    }
    if let backdrop = look.backdrop, let frame {
      parts += try part(backdrop, frame, time: time, solid: solid)
    }
    return parts
  }

  /// The frame at `time` as it was decoded; `nil` if it is not in the output's space.
  func plainFrame(at time: Int64) throws -> Frame? {
    guard case .reader(let reader) = frames, let picture else { return nil }
    if position != time { picture.letGo() }
    let frame = try reader.frame(at: time)
    position = time
    return picture.converts(frame) ? nil : frame
  }

  /// Releases the last frame and the picture made from it.
  func letGo() {
    picture?.letGo()
    if case .reader(let reader) = frames { reader.letGo() }
  }

  private func translucentPart(
    _ look: LayerLook, _ placement: Placement, _ frame: Frame?, time: Int64
  ) throws -> [ShownLayer] {
    let made = try translucent.prepare(time: time, for: placement, tint: look.tint) {
      if case .still(let still) = frames { return try still.shown() }
      guard let frame else { return TranslucentPicture(width: 0, height: 0, pixels: []) }
      return try TranslucentPicture(frame, target: target)
    }
    return made.map { [ShownLayer($0.picture, at: placement, matte: $0.matte)] } ?? []
  }

  private func part(
    _ backdrop: BackdropLook, _ frame: Frame, time: Int64, solid: (Color) throws -> Frame
  ) throws -> [ShownLayer] {
    let placement = backdrop.placement
    switch backdrop.fill {
    case .blur(let copy):
      guard let blurred else { return [] }
      let prepared = try blurred.prepare(frame, time: time, copy: copy, for: placement)
      return [ShownLayer(prepared, at: placement, matte: blurred.matte)]
    case .color(let color):
      let matte =
        placement.isSolid
        ? nil : placement.warp.map { Matte($0.outline, within: placement.coverage) }
      return [
        ShownLayer(
          picture: try solid(color), x: placement.coverage.left * 256,
          y: placement.coverage.top * 256, coverage: placement.coverage, matte: matte)
      ]
    }
  }
}

/// The open readers of a segment's sources: one for each visible layer, so that two layers with the same source do
/// not make it seek back and forth.
struct LayerReaders<Sample: PictureSample> {
  private let sources: [SourceStream]
  private let open: (SourceStream) throws -> any ByteSource
  private let color: ColorSpace
  private var readers: [LayerReader<Sample>]?
  private let kept: KeptReaders
  private var stills: [Int: TranslucentStill] = [:]
  private let onDamage: DamagePolicy
  private let damage: DamageLog
  /// The sources whose fields are kept.
  private let woven: Set<Int>

  /// Creates readers for a segment. They open their sources with `open` when they are first needed.
  ///
  /// - Parameter kept: the readers of earlier segments.
  init(
    _ segment: SegmentDescription, damage: DamageLog, kept: KeptReaders,
    open: @escaping (SourceStream) throws -> any ByteSource
  ) {
    sources = segment.sources
    woven = segment.wovenSources
    color = segment.colorSpace
    onDamage = segment.onDamage ?? .fail
    self.damage = damage
    self.kept = kept
    self.open = open
  }

  /// The readers for a slice's layers, in their order. Open readers are used again if possible; those without a
  /// layer are closed.
  mutating func assign(to layers: [LayerSlice]) throws -> [LayerReader<Sample>] {
    if readers == nil {
      // A segment that conceals damage opens its own readers.
      let moving = onDamage == .fail ? layers.filter { $0.source >= 0 && !isStill($0) } : []
      kept.keepOnly(
        moving.map { (source: sources[$0.source], time: $0.frames.first?.time ?? 0) })
    }
    var free = readers ?? []
    let assigned = try layers.map { layer in
      let start = layer.frames.first?.time ?? 0
      let isStill = isStill(layer)
      let candidates = free.indices.filter {
        free[$0].source == layer.source && free[$0].isStill == isStill
      }
      let best = candidates.min { a, b in
        Self.distance(from: free[a].position, to: start)
          < Self.distance(from: free[b].position, to: start)
      }
      if let best { return free.remove(at: best) }
      guard layer.source >= 0 else { return LayerReader(videoIn: color) }
      let source = sources[layer.source]
      if isStill {
        return LayerReader(
          source: layer.source, still: still(of: layer.source), target: color)
      }
      return LayerReader(
        source: layer.source, frames: try reader(of: layer.source, from: start),
        color: LayerColor(
          of: source.stream, isStillImage: source.isStillImage, target: color),
        blurred: BlurredPicture(
          color: LayerColor(
            of: source.stream, isStillImage: source.isStillImage, target: color)),
        target: color)
    }
    readers = assigned
    let used = Set(assigned.map(\.source))
    stills = stills.filter { used.contains($0.key) }
    return assigned
  }

  /// Whether a layer shows one image with alpha, without a backdrop.
  private func isStill(_ layer: LayerSlice) -> Bool {
    guard layer.source >= 0, layer.backdrop == nil else { return false }
    let source = sources[layer.source]
    return source.isStillImage && (source.stream.hasAlpha || layer.isSmooth == true)
  }

  /// The levels of a still image among the sources.
  func levels(of source: Int) throws -> LevelPicture {
    let time = sources[source].stream.frames.times.first ?? 0
    let frame = try reader(of: source, from: time).frame(at: time)
    return LevelPicture(
      size: PixelSize(width: frame.width, height: frame.height), levels: try frame.grayLevels())
  }

  private func reader(of number: Int, from time: Int64) throws -> FrameReader {
    let source = sources[number]
    return try kept.reader(
      of: source, try open(source), from: time, deinterlaces: !woven.contains(number),
      onDamage: onDamage
    ) { [damage] in damage.note(source, at: $0) }
  }

  /// The image of a source, decoded once for all layers that show it.
  private mutating func still(of number: Int) -> TranslucentStill {
    if let still = stills[number] { return still }
    let (source, open, color) = (sources[number], open, color)
    let still = TranslucentStill {
      let frames = try FrameReader(
        source: try open(source), named: source.name, stream: source.stream,
        origin: source.start ?? .zero)
      return try TranslucentPicture(
        try frames.frame(at: source.stream.frames.times.first ?? 0), target: color)
    }
    stills[number] = still
    return still
  }

  /// How far a reader has to read on. Seeking back counts as farther than any distance forward.
  private static func distance(from position: Int64?, to time: Int64) -> UInt64 {
    guard let position else { return 0 }
    guard position <= time else { return .max }
    return UInt64(bitPattern: time &- position)
  }
}
