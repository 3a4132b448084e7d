import Timeline

/// A stream's pictures in display size: square pixels, with the clean aperture's top-left corner as the origin.
struct DisplaySpace {
  /// The decoded picture's size in pixels.
  let size: PixelSize
  /// The clean aperture, in decoded pixels.
  let aperture: PixelRect
  /// The width of a decoded pixel over its height.
  let aspect: Double

  init(of stream: VideoStream) {
    size = stream.size
    aperture =
      stream.cleanAperture
      ?? PixelRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    aspect = stream.pixelAspectRatio.seconds
  }

  /// Creates the space of pictures with square pixels and no clean aperture.
  init(size: PixelSize) {
    self.size = size
    aperture = PixelRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
    aspect = 1
  }

  /// The part that can be visible: the clean aperture.
  var all: PixelRect {
    PixelRect(x: 0, y: 0, width: aperture.width * aspect, height: aperture.height)
  }

  /// The whole decoded picture, including what lies outside the clean aperture.
  var coded: PixelRect {
    PixelRect(
      x: -aperture.x * aspect, y: -aperture.y, width: Double(size.width) * aspect,
      height: Double(size.height))
  }

  /// The transform from the pixels of the picture at the size `scaled` to this space.
  func map(from scaled: PixelSize) -> AffineTransform {
    let (across, down) = (
      Double(size.width) / Double(scaled.width), Double(size.height) / Double(scaled.height)
    )
    return AffineTransform(
      a: across * aspect, b: 0, c: 0, d: down, tx: -aperture.x * aspect, ty: -aperture.y)
  }
}

extension PixelRect {
  /// The part inside `bounds`; empty if there is none.
  func clamped(to bounds: PixelRect) -> PixelRect {
    let left = min(max(x, bounds.x), bounds.x + bounds.width)
    let top = min(max(y, bounds.y), bounds.y + bounds.height)
    let right = max(min(x + width, bounds.x + bounds.width), left)
    let bottom = max(min(y + height, bounds.y + bounds.height), top)
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}
