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
  private let frames: FrameReader

  /// A reader of the stream at `index` of the segment's sources.
  init(source index: Int, frames: FrameReader, colour: LayerColour<Sample>) {
    source = index
    self.frames = frames
    picture = LayerPicture(colour: colour)
  }

  /// The frame at `time` as `placement` needs it.
  func picture(at time: Int64, for placement: Placement) throws -> Frame {
    let frame = try frames.frame(at: time)
    position = time
    return try picture.prepare(frame, time: time, for: placement)
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
      let frames = try FrameReader(
        source: try open(source), named: source.name, stream: source.stream)
      return LayerReader(
        source: layer.source, frames: frames,
        colour: LayerColour(
          of: source.stream, isStillImage: source.isStillImage, target: colour))
    }
    return readers
  }

  /// How far a reader has to go on; going back is further than any way forward.
  private static func distance(from position: Int64?, to time: Int64) -> UInt64 {
    guard let position else { return 0 }
    guard position <= time else { return .max }
    return UInt64(time &- position)
  }
}
