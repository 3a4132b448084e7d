/// A stream's pictures as they are turned upright.
struct UprightPicture: Hashable, Sendable {
  /// The stream's ``VideoStream/displayBounds``.
  let bounds: PixelRect
  /// The map from ``bounds`` to the upright picture, whose top-left corner is the origin.
  let transform: AffineTransform
  /// The upright picture's columns.
  let width: Double
  /// The upright picture's rows.
  let height: Double

  /// A stream's pictures, turned as the file says, or as a track's preferred transform says where it has one.
  ///
  /// Where a preferred transform puts the picture makes no difference; one that turns it by other than quarter turns
  /// makes it as large as the upright rectangle around it.
  init(_ stream: VideoStream, preferredTransform: AffineTransform? = nil) {
    bounds = stream.displayBounds
    guard let preferred = preferredTransform else {
      transform = stream.preferredTransform
      (width, height) = (stream.orientedBounds.width, stream.orientedBounds.height)
      return
    }
    func span(_ across: Double, _ down: Double) -> (least: Double, length: Double) {
      (min(across, 0) + min(down, 0), abs(across) + abs(down))
    }
    let x = span(preferred.a * bounds.width, preferred.c * bounds.height)
    let y = span(preferred.b * bounds.width, preferred.d * bounds.height)
    var turned = preferred
    (turned.tx, turned.ty) = (0 - x.least, 0 - y.least)
    transform = turned
    (width, height) = (x.length, y.length)
  }
}
