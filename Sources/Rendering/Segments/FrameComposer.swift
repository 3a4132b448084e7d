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
  private let group: LayerGroup<Sample>
  private var solids: [Colour: Frame] = [:]
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
    let compositor = Compositor<Sample>(width: size.width, height: size.height)
    let readers = LayerReaders<Sample>(
      sources: segment.sources, colour: segment.colourSpace, open: open)
    self.compositor = compositor
    self.readers = readers
    group = LayerGroup(
      canvas: PixelBounds(left: 0, top: 0, right: size.width, bottom: size.height),
      compositor: compositor, black: PlanarColour(.black, in: segment.colourSpace)
    ) { try readers.levels(of: $0) }
    pool = []
    for _ in 0..<2 {
      pool.append(
        try Frame(width: size.width, height: size.height, pixelFormat: Sample.planarFormat))
    }
  }

  /// The output frame of a number, `segment.first ..< segment.end`; valid until the next but one.
  func frame(_ number: Int) throws -> Frame {
    let slice = try slice(at: number)
    var layers: [ShownLayer] = []
    group.begin()
    for (index, layer) in slice.description.layers.enumerated() {
      guard let look = try layer.look(at: number, of: segment) else { continue }
      let time = slice.times[index][number - slice.description.first]
      let parts = try slice.readers[index].parts(at: time, for: look, solid: solid)
      layers += try group.layers(of: parts, look: look, mask: layer.mask)
      if layers.last?.hidesAll(of: canvas) == true { break }
    }
    if layers.count == 1, layers[0].isWhole(on: canvas) { return layers[0].picture }
    let output = pool[number & 1]
    try output.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: layers.map(\.picture), as: Sample.self) { sources in
        compositor.composite(
          zip(layers, sources).map { $0.placed($1) }, over: slice.background, into: target)
      }
    }
    return output
  }

  /// A picture of the output's size in a colour.
  private func solid(_ colour: Colour) throws -> Frame {
    if let frame = solids[colour] { return frame }
    let size = segment.renderSize
    let frame = try Frame(
      width: size.width, height: size.height, pixelFormat: Sample.planarFormat)
    try frame.withMutablePicture(of: Sample.self) { picture in
      compositor.composite(
        [], over: PlanarColour(colour, in: segment.colourSpace), into: picture)
    }
    solids[colour] = frame
    return frame
  }

  private var canvas: PixelBounds {
    PixelBounds(
      left: 0, top: 0, right: segment.renderSize.width, bottom: segment.renderSize.height)
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
