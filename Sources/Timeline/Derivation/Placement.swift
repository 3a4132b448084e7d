/// Where a picture lies in the output: turned upright, fitted into the frame as large as it goes, and centred.
struct Placement: Hashable, Sendable {
  /// The video track that shows the picture.
  let track: Int
  /// The picture's ``VideoStream/displayBounds``.
  let bounds: PixelRect
  /// The map from ``bounds`` into the output frame.
  let transform: AffineTransform

  /// The placement of a stream's pictures in an output of a size.
  ///
  /// The fitted rectangle has even sides at even positions, so that its chroma samples fall on the output's; a picture
  /// of the output's own size stays exactly as it is.
  init(of stream: VideoStream, onTrack track: Int, in renderSize: PixelSize) {
    self.track = track
    bounds = stream.displayBounds
    let upright = stream.orientedBounds
    let (width, height) = (Double(renderSize.width), Double(renderSize.height))
    let scale = min(width / upright.width, height / upright.height)
    let fitted = (
      width: min(Self.even(upright.width * scale), width),
      height: min(Self.even(upright.height * scale), height)
    )
    transform = stream.preferredTransform
      .concatenating(.scaling(x: fitted.width / upright.width, y: fitted.height / upright.height))
      .concatenating(
        .translation(
          x: ((width - fitted.width) / 4).rounded(.down) * 2,
          y: ((height - fitted.height) / 4).rounded(.down) * 2))
  }

  /// The nearest even number, at least 2.
  static func even(_ length: Double) -> Double { max((length / 2).rounded() * 2, 2) }

  /// The layer that shows the picture at rest.
  func layer(during range: TimeRange) -> LayerInstruction {
    var layer = LayerInstruction(track: track)
    if transform != .identity {
      layer.transform = Ramps([.step(at: range.start, value: transform)])
    }
    return layer
  }
}
