import Planning
import Timeline

/// The look of a layer on one output frame.
struct LayerLook {
  /// The placement of its picture; `nil` if only its backdrop shows.
  var placement: Placement?
  /// The placement of its backdrop, if it has one.
  var backdrop: BackdropLook?
  /// The layer's opacity, from 1 to ``BlendKernel/one``.
  var weight: Int16
  /// How far its mask is open; `nil` if it is completely open.
  var progress: Double?
  /// The color that replaces those of its picture; `nil` for none.
  var tint: BlendedColor?
}

extension LayerLook {
  /// Whether the layer is its picture, unchanged, on an output of a size.
  func isPlain(on size: PixelSize) -> Bool {
    guard let placement, backdrop == nil, weight == BlendKernel.one, progress == nil, tint == nil
    else { return false }
    return placement.warp == nil && !placement.isTranslucent && placement.orientation == .identity
      && placement.scaledSize == size && placement.x == 0 && placement.y == 0
      && placement.coverage
        == PixelBounds(left: 0, top: 0, right: size.width, bottom: size.height)
  }
}

/// The look of a backdrop on one output frame.
struct BackdropLook {
  /// The content of the backdrop.
  enum Fill {
    case blur(BlurredCopy)
    case color(Color)
  }

  /// The content of the backdrop.
  var fill: Fill
  /// The placement of the backdrop.
  var placement: Placement
}

extension LayerSlice {
  /// The layer's look on an output frame, evaluated at `frame × frameDuration`; `nil` if it is not visible.
  func look(at frame: Int, of segment: SegmentDescription) throws -> LayerLook? {
    let time = try segment.frameDuration * Int64(frame)
    let weight = try weight(at: frame, of: segment)
    let opened = mask.map { min(max($0.progress.value(at: time) ?? 1, 0), 1) } ?? 1
    let placement = try placement(at: time, of: segment)
    let backdrop = try backdrop.flatMap { try look(of: $0, at: time, segment) }
    guard placement != nil || backdrop != nil, weight > 0, opened > 0 else { return nil }
    return LayerLook(
      placement: placement, backdrop: backdrop, weight: weight,
      progress: opened < 1 ? opened : nil, tint: tint?.value(at: time))
  }

  /// The layer's opacity on an output frame, up to ``BlendKernel/one``.
  func weight(at frame: Int, of segment: SegmentDescription) throws -> Int16 {
    BlendKernel.weight(
      ofOpacity: opacity.value(at: try segment.frameDuration * Int64(frame)) ?? 1)
  }

  private func placement(
    at time: RationalTime, of segment: SegmentDescription
  ) throws -> Placement? {
    let map = transform.value(at: time) ?? .identity
    let stream = source >= 0 ? segment.sources[source].stream : nil
    let isSmooth = isSmooth ?? false
    if let stream, !isSmooth, !stream.hasAlpha {
      return try Placement(
        of: stream, transform: map, crop: crop.value(at: time),
        isMoving: transform.isMoving(at: time), canvas: segment.renderSize)
    }
    let outlines = (clips ?? []).map { clip in
      ConvexOutline(
        clip.rect.value(at: time) ?? PixelRect(x: 0, y: 0, width: 0, height: 0),
        under: clip.transform.value(at: time) ?? .identity)
    }
    let corners = self.corners.map { own in
      CornerSampling(
        length: own.length, stretch: own.stretch.value(at: time) ?? LayerPoint(x: 1, y: 1))
    }
    return try Placement(
      sampling: stream.map(DisplaySpace.init(of:)) ?? DisplaySpace(size: segment.renderSize),
      transform: map, crop: crop.value(at: time), hasSoftEdges: isSmooth, clips: outlines,
      hasAlpha: stream != nil, corners: corners, canvas: segment.renderSize)
  }

  private func look(
    of backdrop: Backdrop, at time: RationalTime, _ segment: SegmentDescription
  ) throws -> BackdropLook? {
    let shown = crop.value(at: time).map { $0.clamped(to: backdrop.rect) } ?? backdrop.rect
    let space: DisplaySpace
    let map: AffineTransform
    let fill: BackdropLook.Fill
    switch backdrop.fill {
    case .blur(let sigma):
      let copy = BlurredCopy(
        of: DisplaySpace(of: segment.sources[source].stream), filling: backdrop.rect, sigma: sigma)
      (space, map, fill) = (DisplaySpace(size: copy.size), copy.map, .blur(copy))
    case .color(let color):
      // A picture in one color can have any size.
      space = DisplaySpace(size: PixelSize(width: 16, height: 16))
      map = AffineTransform(
        a: backdrop.rect.width / 16, b: 0, c: 0, d: backdrop.rect.height / 16,
        tx: backdrop.rect.x, ty: backdrop.rect.y)
      fill = .color(color)
    }
    let placement = try Placement(
      of: space, transform: map.concatenating(transform.value(at: time) ?? .identity),
      crop: PixelRect(
        x: (shown.x - map.tx) / map.a, y: (shown.y - map.ty) / map.d, width: shown.width / map.a,
        height: shown.height / map.d),
      isMoving: transform.isMoving(at: time), canvas: segment.renderSize)
    return placement.map { BackdropLook(fill: fill, placement: $0) }
  }

  /// The source frame of each output frame of the slice, in ticks of the stream.
  var frameTimes: [Int64] {
    frames.flatMap { run in (0..<run.count).map { run.time &+ Int64($0) &* run.step } }
  }
}
