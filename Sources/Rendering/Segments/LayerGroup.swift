import Media
import Planning
import Timeline

/// Makes one layer out of a picture, its backdrop and its mask.
///
/// An opaque layer without a mask is passed on unchanged. Otherwise the picture and its backdrop are composited first,
/// so that opacity and mask apply to both together.
final class LayerGroup<Sample: PictureSample> {
  /// The inputs that decide a mask's field.
  private struct FieldKey: Hashable {
    var shape: MaskSlice.Shape
    var softness: Double
  }

  private let canvas: PixelBounds
  private let compositor: Compositor<Sample>
  private let black: PlanarColor<Sample>
  private let levels: (Int) throws -> LevelPicture
  private var fields: [FieldKey: MaskField] = [:]
  private var pool: [Frame] = []
  private var used = 0

  /// Creates a group for an output of `canvas` pixels.
  ///
  /// - Parameter levels: returns the levels of a still image by its index among the segment's sources.
  init(
    canvas: PixelBounds, compositor: Compositor<Sample>, black: PlanarColor<Sample>,
    levels: @escaping (Int) throws -> LevelPicture
  ) {
    self.canvas = canvas
    self.compositor = compositor
    self.black = black
    self.levels = levels
  }

  /// Releases the pictures of the previous frame for reuse.
  func begin() { used = 0 }

  /// The layers, topmost first, that show the parts of a layer, topmost first, with its look and mask.
  func layers(
    of parts: [ShownLayer], look: LayerLook, mask: MaskSlice?
  ) throws -> [ShownLayer] {
    guard let base = parts.last else { return [] }
    guard look.progress != nil || (parts.count > 1 && look.weight < BlendKernel.one) else {
      return parts.map { part in
        var part = part
        part.weight = look.weight
        return part
      }
    }
    let bounds = base.coverage.evenBounds
    let matte = try self.matte(of: base, within: bounds, look: look, mask: mask)
    if parts.count == 1, base.matte != nil {
      return [
        ShownLayer(
          picture: base.picture, part: base.part, x: base.x, y: base.y, coverage: bounds,
          weight: look.weight, matte: matte)
      ]
    }
    let picture = try flattened(parts, base: base, within: bounds)
    guard let matte else {
      return [
        ShownLayer(picture: picture, x: 0, y: 0, coverage: base.coverage, weight: look.weight)
      ]
    }
    return [
      ShownLayer(
        picture: picture, part: bounds, x: bounds.left * 256, y: bounds.top * 256,
        coverage: bounds, weight: look.weight, matte: matte)
    ]
  }

  private func matte(
    of base: ShownLayer, within bounds: PixelBounds, look: LayerLook, mask: MaskSlice?
  ) throws -> Matte? {
    guard let mask, let progress = look.progress else { return base.matte }
    return Matte(
      try field(of: mask), progress: progress, within: bounds, covering: base.coverage,
      base: base.matte)
  }

  /// Composites the parts. The base fills whole blocks of 2 × 2 pixels, so that no chroma is mixed with that of other
  /// layers.
  private func flattened(
    _ parts: [ShownLayer], base: ShownLayer, within bounds: PixelBounds
  ) throws -> Frame {
    if used == pool.count {
      pool.append(
        try Frame(width: canvas.right, height: canvas.bottom, pixelFormat: Sample.planarFormat))
    }
    let picture = pool[used]
    used += 1
    var filled = base
    (filled.coverage, filled.matte) = (bounds, nil)
    let layers = parts.dropLast() + [filled]
    try picture.withMutablePicture(of: Sample.self) { target in
      try Frame.withPictures(of: layers.map(\.picture), as: Sample.self) { sources in
        compositor.composite(
          zip(layers, sources).map { $0.placed($1) },
          over: black, into: target)
      }
    }
    return picture
  }

  private func field(of mask: MaskSlice) throws -> MaskField {
    let key = FieldKey(shape: mask.shape, softness: mask.softness)
    if let field = fields[key] { return field }
    let size = PixelSize(width: canvas.right, height: canvas.bottom)
    let softness = mask.softness
    let field =
      switch mask.shape {
      case .circle: MaskField.circle(size: size, softness: softness)
      case .clock: MaskField.clock(size: size, softness: softness)
      case .edge(let direction): MaskField.edge(direction, size: size, softness: softness)
      case .map(let source): MaskField.map(try levels(source), size: size, softness: softness)
      }
    fields[key] = field
    return field
  }
}
