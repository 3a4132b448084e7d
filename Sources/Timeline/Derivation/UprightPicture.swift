/// The geometry of a stream's pictures when they are rotated upright.
package struct UprightPicture: Hashable, Sendable {
  /// The stream's ``VideoStream/displayBounds``.
  package let bounds: PixelRect
  /// The transform from ``bounds`` to the upright picture, whose top-left corner is the origin.
  package let transform: AffineTransform
  package let width: Double
  package let height: Double

  /// Rotates a stream's pictures by a track's preferred transform, or by the file's if there is none.
  ///
  /// The translation of a preferred transform is ignored. If the rotation is not a multiple of 90°, the size is that of
  /// the bounding box.
  package init(_ stream: VideoStream, preferredTransform: AffineTransform? = nil) {
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
