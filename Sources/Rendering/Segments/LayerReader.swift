import Media
import Planning
import Timeline

/// One open reader of a source stream, and the picture last made of it.
final class LayerReader<Sample: PictureSample> {
  /// The index of the stream in the segment's sources.
  let source: Int
  /// The time of the frame read last, in ticks of the stream; `nil` before the first.
  private(set) var position: Int64?
  /// The picture made of the frames read.
  let picture: LayerPicture<Sample>
  private let blurred: BlurredPicture<Sample>
  private let frames: FrameReader

  /// A reader of the stream at `index` of the segment's sources.
  init(
    source index: Int, frames: FrameReader, colour: LayerColour<Sample>,
    blurred: BlurredPicture<Sample>
  ) {
    source = index
    self.frames = frames
    picture = LayerPicture(colour: colour)
    self.blurred = blurred
  }

  /// The frame at `time` as the layer's look needs it, over its backdrop if that has one: topmost first.
  ///
  /// - Parameter solid: a picture of the output's size in a colour.
  func parts(
    at time: Int64, for look: LayerLook, solid: (Colour) throws -> Frame
  ) throws -> [ShownLayer] {
    let frame = try frames.frame(at: time)
    position = time
    var parts: [ShownLayer] = []
    if let placement = look.placement {
      let prepared = try picture.prepare(frame, time: time, for: placement)
      parts.append(ShownLayer(prepared, at: placement, matte: picture.matte))
    }
    if let backdrop = look.backdrop {
      parts.append(try part(backdrop, frame, time: time, solid: solid))
    }
    return parts
  }

  private func part(
    _ backdrop: BackdropLook, _ frame: Frame, time: Int64, solid: (Colour) throws -> Frame
  ) throws -> ShownLayer {
    let placement = backdrop.placement
    switch backdrop.fill {
    case .blur(let copy):
      let prepared = try blurred.prepare(frame, time: time, copy: copy, for: placement)
      return ShownLayer(prepared, at: placement, matte: blurred.matte)
    case .color(let colour):
      let matte =
        placement.isSolid
        ? nil : placement.warp.map { Matte($0.outline, within: placement.coverage) }
      return ShownLayer(
        picture: try solid(colour), x: placement.coverage.left * 256,
        y: placement.coverage.top * 256, coverage: placement.coverage, matte: matte)
    }
  }
}

/// The open readers of a segment's sources: one for each layer that is on show, so that two layers over one source do
/// not pull it back and forth.
struct LayerReaders<Sample: PictureSample> {
  private let sources: [SourceStream]
  private let open: (SourceStream) throws -> any ByteSource
  private let colour: ColourSpace
  private var readers: [LayerReader<Sample>] = []

  /// Readers for an output in a colour space, that open their sources by `open` when they are first needed.
  init(
    sources: [SourceStream], colour: ColourSpace,
    open: @escaping (SourceStream) throws -> any ByteSource
  ) {
    self.sources = sources
    self.colour = colour
    self.open = open
  }

  /// The readers for a slice's layers, in their order. Open ones go on where they can, those without a layer are
  /// closed.
  mutating func assign(to layers: [LayerSlice]) throws -> [LayerReader<Sample>] {
    var free = readers
    readers = try layers.map { layer in
      let start = layer.frames.first?.time ?? 0
      let candidates = free.indices.filter { free[$0].source == layer.source }
      let best = candidates.min { a, b in
        Self.distance(from: free[a].position, to: start)
          < Self.distance(from: free[b].position, to: start)
      }
      if let best { return free.remove(at: best) }
      let source = sources[layer.source]
      return LayerReader(
        source: layer.source, frames: try reader(of: layer.source),
        colour: LayerColour(
          of: source.stream, isStillImage: source.isStillImage, target: colour),
        blurred: BlurredPicture(
          colour: LayerColour(
            of: source.stream, isStillImage: source.isStillImage, target: colour)))
    }
    return readers
  }

  /// The levels of a still image among the sources.
  func levels(of source: Int) throws -> LevelPicture {
    let frame = try reader(of: source).frame(at: sources[source].stream.frames.times.first ?? 0)
    return LevelPicture(
      size: PixelSize(width: frame.width, height: frame.height), levels: try frame.greyLevels())
  }

  private func reader(of source: Int) throws -> FrameReader {
    let source = sources[source]
    return try FrameReader(
      source: try open(source), named: source.name, stream: source.stream)
  }

  /// How far a reader has to go on; going back is further than any way forward.
  private static func distance(from position: Int64?, to time: Int64) -> UInt64 {
    guard let position else { return 0 }
    guard position <= time else { return .max }
    return UInt64(time &- position)
  }
}
