import Timeline

/// The placement of a picture in the output: upright, scaled to fit or cover the frame, and centered.
struct ClipPlacement: Hashable, Sendable {
  /// The frame's longer side divided by the standard deviation of the blur beneath a picture that does not fill the
  /// frame.
  static let sigmasInFrame = 48.0

  /// The video track that shows the picture.
  let track: Int
  /// The picture's ``VideoStream/displayBounds``.
  let bounds: PixelRect
  /// The transform from ``bounds`` to the output frame.
  let transform: AffineTransform
  /// The part of ``bounds`` that is within the frame; `nil` if that is all of it.
  let crop: PixelRect?
  /// The backdrop that fills the frame beneath the picture.
  let backdrop: Backdrop?

  /// Places a picture in an output of the given size.
  ///
  /// The sides and the position of the scaled rectangle are even, so that its chroma samples coincide with the
  /// output's. A picture of the output's size is not changed at all.
  init(
    of picture: UprightPicture, onTrack track: Int, in renderSize: PixelSize, fit: Fit = .contain
  ) {
    self.track = track
    bounds = picture.bounds
    let (width, height) = (Double(renderSize.width), Double(renderSize.height))
    let scales = (width / picture.width, height / picture.height)
    let scale = fit == .cover ? max(scales.0, scales.1) : min(scales.0, scales.1)
    func fitted(_ length: Double, into side: Double) -> Double {
      let even = OutputFormat.even(length * scale)
      return fit == .cover ? max(even, side) : min(even, side)
    }
    let size = (
      width: fitted(picture.width, into: width), height: fitted(picture.height, into: height)
    )
    transform = picture.transform
      .concatenating(.scaling(x: size.width / picture.width, y: size.height / picture.height))
      .concatenating(
        .translation(
          x: ((width - size.width) / 4).rounded(.down) * 2,
          y: ((height - size.height) / 4).rounded(.down) * 2))
    let isWhole = size == (width, height)
    let frame = transform.preimage(of: PixelRect(x: 0, y: 0, width: width, height: height))
    crop = fit == .cover && !isWhole ? frame : nil
    backdrop =
      fit == .blur && !isWhole
      ? Backdrop(
        rect: frame, fill: .blur(sigma: max(width, height) / Self.sigmasInFrame / scale)) : nil
  }

  /// The layer that shows the picture without motion.
  func layer(during range: TimeRange) -> LayerInstruction {
    var layer = LayerInstruction(track: track)
    if transform != .identity {
      layer.transform = Ramps([.step(at: range.start, value: transform)])
    }
    if let crop { layer.crop = Ramps([.step(at: range.start, value: crop)]) }
    layer.backdrop = backdrop
    return layer
  }

  /// The backdrop that fills the rest of the frame with black.
  func blackFrame(of size: PixelSize) -> Backdrop {
    Backdrop(
      rect: transform.preimage(
        of: PixelRect(x: 0, y: 0, width: Double(size.width), height: Double(size.height))),
      fill: .color(.black))
  }

  /// Whether the picture and its backdrop completely cover another picture.
  func covers(_ other: ClipPlacement) -> Bool { shown.covers(other.shown) }

  /// The area of the output frame that the picture and its backdrop cover.
  private var shown: PixelRect { transform.image(of: backdrop?.rect ?? crop ?? bounds) }
}
