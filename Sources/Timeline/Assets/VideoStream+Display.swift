extension VideoStream {
  /// The rectangle that transforms and crops refer to: the clean aperture after pixel aspect ratio and before
  /// ``orientation``. Its origin is (0, 0).
  ///
  /// As in AVFoundation, pixels that are not square affect the width and not the height.
  public var displayBounds: PixelRect {
    let width = cleanAperture?.width ?? Double(size.width)
    let height = cleanAperture?.height ?? Double(size.height)
    return PixelRect(
      x: 0, y: 0,
      width: width * Double(pixelAspectRatio.numerator) / Double(pixelAspectRatio.denominator),
      height: height)
  }

  /// ``displayBounds`` after ``orientation``, as a viewer sees it.
  public var orientedBounds: PixelRect {
    let bounds = displayBounds
    guard orientation.swapsSides else { return bounds }
    return PixelRect(x: 0, y: 0, width: bounds.height, height: bounds.width)
  }

  /// The transform from ``displayBounds`` to ``orientedBounds``: AVFoundation's `preferredTransform`.
  public var preferredTransform: AffineTransform { orientation.transform(of: displayBounds) }
}

extension Orientation {
  /// The transform that mirrors and rotates a rectangle at the origin into another rectangle at the origin.
  func transform(of bounds: PixelRect) -> AffineTransform {
    let (width, height) = (bounds.width, bounds.height)
    let mirroring =
      isMirrored
      ? AffineTransform(a: -1, b: 0, c: 0, d: 1, tx: width, ty: 0) : .identity
    let turn =
      switch quarterTurns {
      case 1: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: height, ty: 0)
      case 2: AffineTransform(a: -1, b: 0, c: 0, d: -1, tx: width, ty: height)
      case 3: AffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: width)
      default: AffineTransform.identity
      }
    return mirroring.concatenating(turn)
  }
}
