import Media
import Planning
import Timeline

/// Makes a segment's output frames, one at a time.
///
/// If only one layer is visible and needs no processing, its decoded picture is the output frame, without a copy.
/// Otherwise, the layers are composited into one picture. Layers that cover the entire output are composited one by one
/// from the lowest, and the frame of each is released before the next one's is decoded, because most of a slot's memory
/// is pictures (Benchmarks/memory).
///
/// Sources in other color spaces than the output's are converted (``LayerColor``).
final class FrameComposer<Sample: PictureSample> {
  private let segment: SegmentDescription
  private let compositor: Compositor<Sample>
  private let group: LayerGroup<Sample>
  private var solids: [Color: Frame] = [:]
  private var readers: LayerReaders<Sample>
  /// The pictures that frames are composited into. The encoder may still hold those that were made last.
  private var canvases: [Frame] = []
  private var slice: Slice?

  /// The current slice, with everything that is looked up once per slice.
  private struct Slice {
    var description: InstructionSlice
    /// The stack that is composited last.
    var stack: LayerStack<Sample>
    /// The stack that is composited first, and is the video among the layers of the other one.
    var inner: LayerStack<Sample>?
  }

  /// Creates a composer for a validated segment.
  init(
    _ segment: SegmentDescription, damage: DamageLog, kept: KeptReaders,
    open: @escaping (SourceStream) throws -> any ByteSource
  ) throws {
    self.segment = segment
    let size = segment.renderSize
    let compositor = Compositor<Sample>(width: size.width, height: size.height)
    let readers = LayerReaders<Sample>(
      segment, damage: damage, kept: kept, open: open)
    self.compositor = compositor
    self.readers = readers
    group = LayerGroup(
      canvas: PixelBounds(left: 0, top: 0, right: size.width, bottom: size.height),
      compositor: compositor, black: PlanarColor(.black, in: segment.colorSpace)
    ) { try readers.levels(of: $0) }
  }

  /// The output frame with a number in `segment.first ..< segment.end`; valid until the next call unless its memory is
  /// shared with another frame.
  func frame(_ number: Int) throws -> Frame {
    let slice = try slice(at: number)
    if let frame = try plainFrame(number, of: slice) { return frame }
    group.begin()
    let output = try unusedCanvas()
    guard let inner = slice.inner else {
      return try compose(slice.stack, number, in: slice.description, onto: output, video: nil)
    }
    let picture = try compose(
      inner, number, in: slice.description, onto: try unusedCanvas(besides: output), video: nil)
    return try compose(slice.stack, number, in: slice.description, onto: output, video: picture)
  }

  /// A picture that nobody else holds.
  private func unusedCanvas(besides other: Frame? = nil) throws -> Frame {
    if let canvas = canvases.first(where: { $0 !== other && !$0.isShared }) { return canvas }
    let canvas = try picture()
    canvases.append(canvas)
    return canvas
  }

  /// A new picture of the output's size.
  private func picture() throws -> Frame {
    try Frame(
      width: segment.renderSize.width, height: segment.renderSize.height,
      pixelFormat: Sample.planarFormat)
  }

  /// The frame of a slice that shows one source unchanged, if the output has more chroma than pictures that are
  /// composited.
  private func plainFrame(_ number: Int, of slice: Slice) throws -> Frame? {
    guard segment.video.hasFineChroma, slice.inner == nil, slice.stack.layers.count == 1,
      case .picture(let reader, let times) = slice.stack.layers[0].content,
      let look = try slice.stack.layers[0].slice.look(at: number, of: segment),
      look.isPlain(on: segment.renderSize)
    else { return nil }
    return try reader.plainFrame(at: times[number - slice.description.first])
  }

  /// Composites the layers of a stack. The result is a layer's own picture if nothing else is visible.
  private func compose(
    _ stack: LayerStack<Sample>, _ number: Int, in slice: InstructionSlice, onto output: Frame,
    video: Frame?
  ) throws -> Frame {
    guard let sheets = try stack.sheets(at: number, of: segment) else {
      let layers = try shown(stack.layers, number, in: slice, video: video)
      if layers.count == 1, layers[0].isWhole(on: canvas) { return layers[0].picture }
      try composite(layers, over: stack.background, onto: output)
      return output
    }
    for layer in stack.layers[sheets].reversed() {
      let layers = try shown([layer], number, in: slice, video: video)
      try composite(layers, over: nil, onto: output)
      layer.letGo(after: number - slice.first, before: following(slice))
    }
    let above = stack.layers[..<sheets.lowerBound]
    try composite(
      try shown(Array(above), number, in: slice, video: video), over: nil, onto: output)
    return output
  }

  /// The layers with pictures in the slice that follows another; none at the segment's end.
  private func following(_ slice: InstructionSlice) -> [LayerSlice] {
    guard let next = segment.slices.first(where: { $0.first == slice.end }) else { return [] }
    return ((next.overlay?.layers ?? []) + next.layers).flatMap(\.leaves)
  }

  /// Composites layers, topmost first, over a background, or over the picture's present content if it is `nil`.
  private func composite(
    _ layers: [ShownLayer], over background: PlanarColor<Sample>?, onto picture: Frame
  ) throws {
    try picture.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: layers.map(\.picture), as: Sample.self) { sources in
        compositor.composite(
          zip(layers, sources).map { $0.placed($1) }, over: background, into: target)
      }
    }
  }

  /// The pictures of layers, topmost first, down to the first that hides everything below it.
  private func shown(
    _ layers: [StackedLayer<Sample>], _ number: Int, in slice: InstructionSlice, video: Frame?
  ) throws -> [ShownLayer] {
    var shown: [ShownLayer] = []
    for layer in layers {
      switch layer.content {
      case .picture(let reader, let times):
        guard let look = try layer.slice.look(at: number, of: segment) else { continue }
        // The video is a different picture on each frame.
        let time = layer.slice.source < 0 ? Int64(number) : times[number - slice.first]
        let parts = try reader.parts(at: time, for: look, video: video, solid: solid)
        shown += try group.layers(of: parts, look: look, mask: layer.slice.mask)
      case .group(let sublayers, let picture):
        let weight = try layer.slice.weight(at: number, of: segment)
        guard weight > 0 else { continue }
        let parts = try self.shown(sublayers, number, in: slice, video: video)
        shown +=
          weight == BlendKernel.one ? parts : try picture.flattened(parts, weight: weight)
      }
      if shown.last?.hidesAll(of: canvas) == true { break }
    }
    return shown
  }

  /// A picture of the output's size in one color.
  private func solid(_ color: Color) throws -> Frame {
    if let frame = solids[color] { return frame }
    let frame = try picture()
    try frame.withMutablePicture(of: Sample.self) { picture in
      compositor.composite(
        [], over: PlanarColor(color, in: segment.colorSpace), into: picture)
    }
    solids[color] = frame
    return frame
  }

  private var canvas: PixelBounds {
    PixelBounds(
      left: 0, top: 0, right: segment.renderSize.width, bottom: segment.renderSize.height)
  }

  private func slice(at number: Int) throws -> Slice {
    if let slice, number < slice.description.end { return slice }
    guard let next = segment.slices.first(where: { $0.first <= number && number < $0.end }) else {
      throw RenderingError(.invalidDescription, "no slice of the segment contains frame \(number)")
    }
    let (background, space) = (next.backgroundColor, segment.colorSpace)
    let overlay = next.overlay ?? OverlaySlice(layers: [], isOverVideo: true)
    var readers = try readers.assign(to: (overlay.layers + next.layers).flatMap(\.leaves))[...]
    func stack(_ layers: [LayerSlice], _ color: Color) -> LayerStack<Sample> {
      LayerStack(
        layers: layers.compactMap { StackedLayer($0, taking: &readers) },
        background: PlanarColor(color, in: space))
    }
    let slice: Slice
    if overlay.isOverVideo {
      slice = Slice(description: next, stack: stack(overlay.layers + next.layers, background))
    } else {
      let around = stack(overlay.layers, .black)
      slice = Slice(description: next, stack: around, inner: stack(next.layers, background))
    }
    self.slice = slice
    return slice
  }
}
