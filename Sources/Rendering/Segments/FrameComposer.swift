import Media
import Planning
import Timeline

/// Makes a segment's output frames one after the other.
///
/// A frame whose one visible layer needs nothing done is handed on as it was decoded, without a copy. Otherwise it is
/// composited into one of two pictures that are used in turn.
///
/// Sources of another colour space than the output's are converted (``LayerColour``).
final class FrameComposer<Sample: PictureSample>: FrameSource {
  private let segment: SegmentDescription
  private let compositor: Compositor<Sample>
  private var readers: LayerReaders<Sample>
  private var pool: [Frame]
  private var slice: Slice?

  /// The slice that is on show, with what is looked up once a slice.
  private struct Slice {
    var description: InstructionSlice
    var times: [[Int64]]
    var readers: [LayerReader<Sample>]
    var background: PlanarColour<Sample>
  }

  /// A composer of a segment that has been validated.
  init(
    _ segment: SegmentDescription, open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    self.segment = segment
    let size = segment.renderSize
    compositor = Compositor(width: size.width, height: size.height)
    readers = LayerReaders(
      sources: segment.sources, colour: segment.colourSpace, open: open)
    pool = []
    for _ in 0..<2 {
      pool.append(
        try Frame(width: size.width, height: size.height, pixelFormat: Sample.planarFormat))
    }
  }

  /// The output frame of a number, `segment.first ..< segment.end`; valid until the next but one.
  func frame(_ number: Int) throws -> Frame {
    let slice = try slice(at: number)
    var pictures: [Frame] = []
    var looks: [LayerLook] = []
    var mattes: [Matte?] = []
    for (index, layer) in slice.description.layers.enumerated() {
      guard let look = try layer.look(at: number, of: segment) else { continue }
      let time = slice.times[index][number - slice.description.first]
      pictures.append(try slice.readers[index].picture(at: time, for: look.placement))
      mattes.append(slice.readers[index].picture.matte)
      looks.append(look)
      if hidesAll(look) { break }
    }
    if looks.count == 1, let picture = pictures.first, isWhole(looks[0], picture) {
      return picture
    }
    let output = pool[number & 1]
    try output.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: pictures, as: Sample.self) { sources in
        let layers = looks.indices.map { index in
          let look = looks[index]
          return PlacedLayer(
            picture: sources[index], x: look.placement.x, y: look.placement.y,
            coverage: look.placement.coverage, weight: look.weight, matte: mattes[index])
        }
        compositor.composite(layers, over: slice.background, into: target)
      }
    }
    return output
  }

  private var canvas: PixelBounds {
    PixelBounds(
      left: 0, top: 0, right: segment.renderSize.width, bottom: segment.renderSize.height)
  }

  /// Whether nothing shows of what lies below.
  private func hidesAll(_ look: LayerLook) -> Bool {
    look.weight == BlendKernel.one && look.placement.coverage == canvas && look.placement.isSolid
  }

  /// Whether the picture is the output frame as it is.
  private func isWhole(_ look: LayerLook, _ picture: Frame) -> Bool {
    hidesAll(look) && look.placement.x == 0 && look.placement.y == 0
      && picture.width == segment.renderSize.width && picture.height == segment.renderSize.height
  }

  private func slice(at number: Int) throws -> Slice {
    if let slice, number < slice.description.end { return slice }
    guard let next = segment.slices.first(where: { $0.first <= number && number < $0.end }) else {
      throw RenderingError(.invalidDescription, "no slice of the segment holds frame \(number)")
    }
    let slice = Slice(
      description: next, times: next.layers.map(\.frameTimes),
      readers: try readers.assign(to: next.layers),
      background: PlanarColour(next.backgroundColor, in: segment.colourSpace))
    self.slice = slice
    return slice
  }
}
