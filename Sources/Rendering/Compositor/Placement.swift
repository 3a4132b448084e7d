import Timeline

/// The placement of a source's picture on the output at one instant: its size, orientation and position, and the pixels
/// that show it.
///
/// A transform maps display size (clean aperture × pixel aspect ratio) to the output. If it maps axes to axes (scale,
/// translation, quarter turns, mirroring), a scaled picture is turned and placed. Otherwise, the picture is warped.
package struct Placement: Hashable, Sendable {
  /// The size to scale the decoded picture to, before it is turned.
  package var scaledSize: PixelSize
  /// How the scaled picture is turned.
  package var orientation: PlaneOrientation
  /// The output column of the turned picture's left edge, in 1/256 of a pixel.
  package var x: Int
  /// The output row of the turned picture's top edge, in 1/256 of a pixel.
  package var y: Int
  /// The output pixels whose centers the cropped picture covers; for a warp, those that it touches, with even edges.
  package var coverage: PixelBounds
  /// How the scaled picture is sampled at the coverage; `nil` if it is only turned.
  package var warp: Warp?
  /// Whether any part of it may be translucent.
  package var isTranslucent = false
}

extension Placement {
  /// The maximum area of a scaled picture in pixels: four times 8K would not fit into a worker's memory. A larger
  /// picture is sampled only where it is visible, as a warp.
  private static let maximumArea = 64_000_000.0

  /// Places a picture of `stream` on an output of `canvas` pixels.
  ///
  /// - Throws: ``RenderingError`` with code `invalidDescription` for numbers that are not finite or beyond 10⁹.
  package init?(
    of stream: VideoStream, transform: AffineTransform, crop: PixelRect?, isMoving: Bool,
    canvas: PixelSize
  ) throws {
    try self.init(
      of: DisplaySpace(of: stream), transform: transform, crop: crop, isMoving: isMoving,
      canvas: canvas)
  }

  /// Places a picture with the display space `space` on an output of `canvas` pixels.
  ///
  /// - Parameters:
  ///   - crop: the part to show, in square-pixel clean-aperture space; `nil` means all of it.
  ///   - isMoving: whether the transform is on a ramp. A picture at rest is scaled directly to the pixels that it
  ///     covers; a moving one keeps its size, and is placed between pixels.
  /// - Returns: `nil` if no part of the picture is visible.
  /// - Throws: ``RenderingError`` with code `invalidDescription` for numbers that are not finite or beyond 10⁹.
  init?(
    of space: DisplaySpace, transform: AffineTransform, crop: PixelRect?, isMoving: Bool,
    canvas: PixelSize
  ) throws {
    guard transform.isWithinReach else {
      throw RenderingError(
        .invalidDescription,
        "a transform contains a number that is too large or not finite: \(transform.numbers)")
    }
    let size = space.size
    let shown = crop.map { $0.clamped(to: space.all) } ?? space.all
    let bounds = PixelBounds(left: 0, top: 0, right: canvas.width, bottom: canvas.height)
    guard let axes = Axes(transform) else {
      let outline = ConvexOutline(shown, under: transform)
      self.init(
        filling: outline, with: shown, of: space, under: transform, canvas: bounds)
      return
    }
    guard let coverage = Self.pixels(of: axes.map(shown), within: bounds) else { return nil }
    let picture = axes.map(space.coded)
    guard picture.width * picture.height < Self.maximumArea else {
      self.init(
        filling: ConvexOutline(coverage), with: shown, of: space, under: transform, canvas: bounds)
      return
    }
    self.init(
      turning: picture, of: size, by: axes.orientation, covering: coverage, isMoving: isMoving)
  }

  /// Places a picture of `size` that fills the rectangle `picture` of the output when it is turned.
  private init?(
    turning picture: PixelRect, of size: PixelSize, by orientation: PlaneOrientation,
    covering coverage: PixelBounds, isMoving: Bool
  ) {
    self.coverage = coverage
    self.orientation = orientation
    let turnedSize = orientation.transposes ? size.transposed : size
    let isUnscaled =
      abs(picture.width - Double(turnedSize.width)) < 1e-6
      && abs(picture.height - Double(turnedSize.height)) < 1e-6
    if isUnscaled {
      scaledSize = size
      x = Int((picture.x * 256).rounded())
      y = Int((picture.y * 256).rounded())
      // A mirrored picture of odd size gets another column (or row) on the mirrored side: see OrientKernel.
      if orientation.mirrorsColumns && turnedSize.width & 1 == 1 { x -= 256 }
      if orientation.mirrorsRows && turnedSize.height & 1 == 1 { y -= 256 }
      return
    }
    var turned: PixelSize
    if isMoving {
      turned = PixelSize(
        width: max(Int((picture.width / 2).rounded()) * 2, 2),
        height: max(Int((picture.height / 2).rounded()) * 2, 2))
      x = Int(((picture.x + (picture.width - Double(turned.width)) / 2) * 256).rounded())
      y = Int(((picture.y + (picture.height - Double(turned.height)) / 2) * 256).rounded())
    } else {
      guard let covered = Self.pixels(of: picture, within: nil) else { return nil }
      turned = PixelSize(
        width: covered.right - covered.left, height: covered.bottom - covered.top)
      x = covered.left * 256
      y = covered.top * 256
      if orientation.mirrorsColumns && turned.width & 1 == 1 { x -= 256 }
      if orientation.mirrorsRows && turned.height & 1 == 1 { y -= 256 }
    }
    scaledSize = orientation.transposes ? turned.transposed : turned
  }

  /// The size of the turned picture: even on a mirrored side.
  package var turnedSize: PixelSize {
    var size = orientation.transposes ? scaledSize.transposed : scaledSize
    if orientation.mirrorsColumns { size.width += size.width & 1 }
    if orientation.mirrorsRows { size.height += size.height & 1 }
    return size
  }

  /// The pixels whose centers lie in the rectangle. Its edges are rounded to 1/4096 of a pixel, so that edges that
  /// adjoin except for floating-point rounding adjoin exactly.
  static func pixels(of rect: PixelRect, within bounds: PixelBounds?) -> PixelBounds? {
    func first(_ edge: Double) -> Int {
      let edge = min(max((edge * 4096).rounded() / 4096, -1e9), 1e9)
      return Int((edge - 0.5).rounded(.up))
    }
    var pixels = PixelBounds(
      left: first(rect.x), top: first(rect.y), right: first(rect.x + rect.width),
      bottom: first(rect.y + rect.height))
    if let bounds { pixels = pixels.intersection(bounds) }
    return pixels.isEmpty ? nil : pixels
  }
}

extension PixelSize {
  /// The size with width and height exchanged.
  var transposed: PixelSize { PixelSize(width: height, height: width) }
}
