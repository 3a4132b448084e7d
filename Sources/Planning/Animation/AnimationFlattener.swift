import Timeline

/// Flattens a tree of layers into the pictures that each frame shows, each with its own transform, opacity and clips.
struct AnimationFlattener {
  /// A drawn picture, or the video, and its place in a layer.
  struct Picture {
    let tile: RasterTile?
    /// The transform from the picture's pixels to the layer's space.
    let placement: AffineTransform
    /// The picture's rectangle in its own pixels.
    let rect: PixelRect
    /// The layer's rectangle for which the picture was drawn.
    let bounds: PixelRect

    /// The area of the picture in other bounds: it extends as far beyond them as beyond those it was drawn for.
    func area(in bounds: PixelRect) -> PixelRect {
      guard let tile else { return bounds }
      return PixelRect(
        x: bounds.x + tile.area.x - self.bounds.x, y: bounds.y + tile.area.y - self.bounds.y,
        width: bounds.width + tile.area.width - self.bounds.width,
        height: bounds.height + tile.area.height - self.bounds.height)
    }

    /// The transform from the picture's pixels to the layer's space, for other bounds of the layer.
    func placement(in bounds: PixelRect?) -> AffineTransform {
      guard let bounds else { return placement }
      let area = area(in: bounds)
      return AffineTransform(
        a: area.width / rect.width, b: 0, c: 0, d: area.height / rect.height, tx: area.x,
        ty: area.y)
    }
  }

  /// A flattened layer, before its picture has a number among a segment's sources.
  struct FlatLayer {
    /// The picture; `nil` for the video.
    let tile: RasterTile?
    /// The path, for messages.
    let path: LayerPath
    /// How it is shown; its source is not set.
    let layer: LayerSlice
    /// Its sublayers, topmost first, if it is a group that is composited on its own.
    var sublayers: [FlatLayer] = []

    /// Whether it is the unchanged video.
    var isPlainVideo: Bool { tile == nil && sublayers.isEmpty && layer.isPlain }
  }

  /// A visible layer with its look on each frame, or one look for all frames if nothing changes.
  struct ShownChain {
    let chain: LayerChain
    let looks: [ChainLook?]
    /// The pictures, topmost first.
    let pictures: [Picture]

    func look(_ frame: Int) -> ChainLook? { looks[min(frame, looks.count - 1)] }
  }

  private let chains: [LayerChain]
  private let rasters: [LayerPath: LayerRaster]
  private let grid: OutputGrid
  private let renderSize: PixelSize
  private let outputTransform: AffineTransform
  private let output: PixelRect
  /// The track that shows the tree, if there is one.
  let track: Int?
  /// Whether the tree has a layer for the video.
  private let hasVideo: Bool

  /// Creates a flattener for a tree whose content has been drawn.
  ///
  /// - Parameters:
  ///   - renderSize: the size of the tree's space.
  ///   - outputTransform: the transform from that space to output frames of `outputSize`.
  init(
    _ animation: Animation, rasters: [LayerRaster], grid: OutputGrid, renderSize: PixelSize,
    outputTransform: AffineTransform, outputSize: PixelSize
  ) {
    self.outputTransform = outputTransform
    output = PixelRect(
      x: 0, y: 0, width: Double(outputSize.width), height: Double(outputSize.height))
    chains = animation.chains().reversed()
    track = animation.track
    self.rasters = Dictionary(rasters.map { ($0.path, $0) }) { first, _ in first }
    self.grid = grid
    self.renderSize = renderSize
    hasVideo = chains.contains { $0.leaf.content == .video }
  }

  /// The layers over and around the video during `frames`; `nil` if the frames show the video unchanged.
  func overlay(of frames: Range<Int>) throws(TimeError) -> (layers: [FlatLayer], isOverVideo: Bool)?
  {
    var layers = try layers(of: frames, placedBy: nil)
    guard hasVideo else { return layers.isEmpty ? nil : (layers, true) }
    if layers.last?.isPlainVideo == true {
      layers.removeLast()
      return layers.isEmpty ? nil : (layers, true)
    }
    return (layers, false)
  }

  /// The layers that are visible during `frames`, topmost first.
  ///
  /// - Parameter instruction: the layer instruction that places the tree as a track; `nil` if the tree is not a track.
  func layers(
    of frames: Range<Int>, placedBy instruction: LayerInstruction?
  ) throws(TimeError) -> [FlatLayer] {
    var shown: [ShownChain] = []
    let range = try TimeRange(
      start: grid.time(of: frames.lowerBound), end: grid.time(of: frames.upperBound))
    for chain in chains {
      let raster = rasters[chain.path]
      let natural = raster?.bounds ?? wholeFrame
      let isMoving = chain.changes(within: range) || instruction.map(\.isMoving) ?? false
      var looks: [ChainLook?] = []
      for frame in isMoving ? frames : frames.prefix(1) {
        let time = try grid.time(of: frame)
        var look = chain.look(at: time, renderSize: renderSize, natural: natural)
        // A layer instruction's transform already maps to the output's frames.
        if let instruction {
          look = look?.placed(by: instruction, at: time)
        } else {
          look = look?.moved(by: outputTransform)
        }
        looks.append(look)
      }
      guard looks.contains(where: { $0 != nil }) else { continue }
      let pictures = pictures(of: chain, raster).reversed().filter { picture in
        looks.contains { $0.map { shows(picture, $0) } ?? false }
      }
      guard !pictures.isEmpty else { continue }
      shown.append(ShownChain(chain: chain, looks: looks, pictures: pictures))
    }
    return try stack(shown[...], depth: 0, from: 0, frames: frames)
  }

  /// A layer's pictures, with its own opacity and that of the groups that are not composited separately.
  func pictures(
    of shown: ShownChain, from: Int, frames: Range<Int>
  ) throws(TimeError) -> [FlatLayer] {
    let chain = shown.chain
    let looks = shown.looks.map { look in
      var look = look
      look?.opacities.removeFirst(from)
      return look
    }
    if case .timecode(let timecode) = chain.leaf.content,
      let tile = rasters[chain.path]?.tiles.first
    {
      return try digits(of: timecode, tile, chain.path, looks: looks, frames: frames)
    }
    var layers: [FlatLayer] = []
    for picture in shown.pictures {
      let courses = looks.map { look in
        look.map { ($0, picture.placement(in: $0.resized).concatenating($0.transform)) }
      }
      var layer = try layer(through: courses, crops: [], frames: frames, tile: picture.tile)
      layer.corners = try corners(of: picture, chain.leaf.content, looks, frames: frames)
      layers.append(
        FlatLayer(
          tile: picture.tile, path: chain.path, layer: layer))
    }
    return layers
  }

  /// The corners of a shape that keep their size while its bounds change.
  private func corners(
    of picture: Picture, _ content: LayerContent, _ looks: [ChainLook?], frames: Range<Int>
  ) throws(TimeError) -> LayerCorners? {
    guard case .shape(let shape) = content, let tile = picture.tile else { return nil }
    let factors = looks.map { look in
      look?.resized.map { rect in
        let area = picture.area(in: rect)
        return LayerPoint(x: area.width / tile.area.width, y: area.height / tile.area.height)
      }
    }
    guard factors.contains(where: { $0.map { $0 != LayerPoint(x: 1, y: 1) } ?? false }) else {
      return nil
    }
    let beyond = (tile.area.width - picture.bounds.width) / 2
    let length = shape.cornerLength + beyond
    return LayerCorners(
      length: LayerPoint(
        x: length * picture.rect.width / tile.area.width,
        y: length * picture.rect.height / tile.area.height),
      stretch: try ramps(factors, of: frames) { [$0.x, $0.y] })
  }

  private var wholeFrame: PixelRect {
    PixelRect(x: 0, y: 0, width: Double(renderSize.width), height: Double(renderSize.height))
  }

  private func pictures(of chain: LayerChain, _ raster: LayerRaster?) -> [Picture] {
    guard let raster else {
      let shrink = AffineTransform(
        a: wholeFrame.width / output.width, b: 0, c: 0, d: wholeFrame.height / output.height,
        tx: 0, ty: 0)
      return [Picture(tile: nil, placement: shrink, rect: output, bounds: wholeFrame)]
    }
    return raster.tiles.map { tile in
      let size = tile.stream.size
      return Picture(
        tile: tile, placement: tile.placement,
        rect: PixelRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)),
        bounds: raster.bounds)
    }
  }

  /// Whether a part of a picture may be visible on the output.
  private func shows(_ picture: Picture, _ look: ChainLook) -> Bool {
    bounds(of: picture, look) != nil
  }

  /// The bounding rectangle of a picture on the output; `nil` if the picture lies outside.
  func bounds(of picture: Picture, _ look: ChainLook) -> PixelRect? {
    let map = picture.placement(in: look.resized).concatenating(look.transform)
    let corners = [
      (picture.rect.x, picture.rect.y), (picture.rect.x + picture.rect.width, picture.rect.y),
      (picture.rect.x, picture.rect.y + picture.rect.height),
      (picture.rect.x + picture.rect.width, picture.rect.y + picture.rect.height),
    ].map { x, y in
      (x: map.a * x + map.c * y + map.tx, y: map.b * x + map.d * y + map.ty)
    }
    let xs = corners.map(\.x)
    let ys = corners.map(\.y)
    guard let left = xs.min(), let right = xs.max(), let top = ys.min(), let bottom = ys.max()
    else { return nil }
    guard right > 0, bottom > 0, left < output.width, top < output.height else { return nil }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }

  func ramps<Value>(
    _ values: [Value?], of frames: Range<Int>, _ numbers: (Value) -> [Double]
  ) throws(TimeError) -> Ramps<Value> {
    try Ramps(
      samples: values, from: frames.lowerBound, frameDuration: grid.frameDuration, numbers: numbers)
  }

  /// The layer of a picture over time; `looks` has one entry for all frames, or one for each.
  private func layer(
    through looks: [(look: ChainLook, map: AffineTransform)?], crops: [PixelRect?],
    frames: Range<Int>, tile: RasterTile?
  ) throws(TimeError) -> LayerSlice {
    func ramps<Value>(_ values: [Value?], _ numbers: (Value) -> [Double]) throws(TimeError)
      -> Ramps<Value>
    {
      try self.ramps(values, of: frames, numbers)
    }
    let clipCount = looks.lazy.compactMap(\.self).first.map { $0.look.clips.count } ?? 0
    var clips: [LayerClip] = []
    for number in 0..<clipCount {
      clips.append(
        LayerClip(
          rect: try ramps(looks.map { $0?.look.clips[number].rect }) {
            [$0.x, $0.y, $0.width, $0.height]
          },
          transform: try ramps(looks.map { $0?.look.clips[number].transform }, \.numbers)))
    }
    let tints = looks.map { $0?.look.color }
    var layer = LayerSlice(
      source: LayerSlice.compositedVideo,
      frames: [
        FrameRun(time: tile?.stream.frames.times.first ?? 0, step: 0, count: frames.count)
      ],
      opacity: try ramps(looks.map { $0?.look.opacities.reduce(1, *) ?? 0 }) { [$0] },
      transform: try ramps(looks.map { $0?.map }, \.numbers), crop: Ramps())
    if layer.opacity.pieces.count == 1, layer.opacity.finalValue == 1 { layer.opacity = Ramps() }
    if !crops.isEmpty {
      layer.crop = try ramps(crops) { [$0.x, $0.y, $0.width, $0.height] }
    }
    layer.isSmooth = true
    if !clips.isEmpty { layer.clips = clips }
    if tints.contains(where: { $0 != nil }) {
      layer.tint = try ramps(tints.map { $0 }) { [$0.red, $0.green, $0.blue] }
    }
    return layer
  }

  /// A layer for each character of a time code. All show parts of one picture, which change over time.
  private func digits(
    of timecode: TimecodeContent, _ tile: RasterTile, _ path: LayerPath, looks: [ChainLook?],
    frames: Range<Int>
  ) throws(TimeError) -> [FlatLayer] {
    let ownRate = try RationalTime(1) / grid.frameDuration
    let rate = timecode.frameRate ?? ownRate
    guard let clock = TimecodeClock(frameRate: rate, dropsFrames: timecode.dropsFrames) else {
      return []
    }
    let start = clock.frame(called: timecode.start) ?? 0
    var texts: [[Character]] = []
    for frame in frames {
      let count = try (grid.time(of: frame) * rate).ticks(of: RationalTime(1))
      texts.append(Array(clock.text(ofFrame: start + Int(count))))
    }
    let cell = Double(tile.stream.size.width / TimecodeClock.glyphs.count)
    var layers: [FlatLayer] = []
    for place in 0..<clock.length {
      var crops: [PixelRect?] = []
      var courses: [(look: ChainLook, map: AffineTransform)?] = []
      for (number, text) in texts.enumerated() {
        guard let look = looks[min(number, looks.count - 1)],
          let glyph = TimecodeClock.glyphs.firstIndex(of: text[place])
        else {
          crops.append(nil)
          courses.append(nil)
          continue
        }
        crops.append(
          PixelRect(
            x: Double(glyph) * cell, y: 0, width: cell, height: Double(tile.stream.size.height)))
        let shift = AffineTransform(
          a: 1, b: 0, c: 0, d: 1, tx: Double(place - glyph) * cell, ty: 0)
        courses.append(
          (
            look,
            shift.concatenating(tile.placement).concatenating(look.transform)
          ))
      }
      layers.append(
        FlatLayer(
          tile: tile, path: path,
          layer: try layer(through: courses, crops: crops, frames: frames, tile: tile)))
    }
    return layers
  }
}

extension AffineTransform {
  /// Whether it is the identity, apart from floating-point rounding.
  fileprivate var isIdentity: Bool {
    zip(numbers, AffineTransform.identity.numbers).allSatisfy { abs($0 - $1) < 1e-9 }
  }
}

extension RasterTile {
  /// The transform from the picture's pixels to the layer's space.
  fileprivate var placement: AffineTransform {
    AffineTransform(
      a: area.width / Double(stream.size.width), b: 0, c: 0,
      d: area.height / Double(stream.size.height), tx: area.x, ty: area.y)
  }
}

extension ChainLook {
  /// The look after a further transform.
  fileprivate func moved(by map: AffineTransform) -> ChainLook {
    guard map != .identity else { return self }
    var look = self
    look.transform = look.transform.concatenating(map)
    for number in look.clips.indices {
      look.clips[number].transform = look.clips[number].transform.concatenating(map)
    }
    return look
  }

  /// The look of a tree that a layer instruction places as a track.
  fileprivate func placed(by instruction: LayerInstruction, at time: RationalTime) -> ChainLook? {
    var look = self
    look.opacities[0] = instruction.opacity.value(at: time) ?? 1
    guard look.opacities[0] > 0 else { return nil }
    let map = instruction.transform.value(at: time) ?? .identity
    look = look.moved(by: map)
    if !instruction.crop.pieces.isEmpty {
      let everything = PixelRect(x: -1e6, y: -1e6, width: 2e6, height: 2e6)
      look.clips.append((instruction.crop.value(at: time) ?? everything, map))
    }
    return look
  }
}

extension LayerInstruction {
  /// Whether it may place a picture differently over time.
  fileprivate var isMoving: Bool {
    !(opacity.pieces.isEmpty && transform.pieces.isEmpty && crop.pieces.isEmpty)
  }
}

extension LayerSlice {
  /// Whether the picture is shown whole and unchanged.
  fileprivate var isPlain: Bool {
    opacity.pieces.isEmpty && clips == nil
      && transform.pieces.allSatisfy {
        if case .step(_, let map) = $0 { map.isIdentity } else { false }
      }
  }
}
