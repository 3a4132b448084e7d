extension VideoComposition {
  /// The size of the output's frames in pixels: the render size times the render scale. Each side is rounded to the
  /// nearest even number, upwards if it is halfway.
  public var outputSize: PixelSize {
    guard renderScale != 1, renderScale.isFinite else { return renderSize }
    func scaled(_ side: Int) -> Int {
      // A size that cannot be rendered has its own finding.
      Int(min(max((Double(side) * renderScale / 2).rounded() * 2, 0), 1e9))
    }
    return PixelSize(width: scaled(renderSize.width), height: scaled(renderSize.height))
  }

  /// The video composition with a render scale that makes its output fit within the preset's size, or the unchanged
  /// video composition if it fits already.
  package func fitted(into preset: ExportPreset) -> VideoComposition {
    let size = outputSize
    guard let bounds = preset.bounds(forPortrait: size.height > size.width),
      size.width > bounds.width || size.height > bounds.height
    else { return self }
    var fitted = self
    fitted.renderScale = min(
      Double(bounds.width) / Double(renderSize.width),
      Double(bounds.height) / Double(renderSize.height))
    return fitted
  }

  /// The transform from the render size to the output's frames.
  public var outputTransform: AffineTransform {
    guard renderScale != 1, renderScale.isFinite else { return .identity }
    let size = outputSize
    return .scaling(
      x: Double(size.width) / Double(renderSize.width),
      y: Double(size.height) / Double(renderSize.height))
  }

  /// The equivalent video composition with a render scale of 1. Its render size is ``outputSize``, and every layer's
  /// transform includes the scale.
  package var atOutputSize: VideoComposition {
    guard renderScale != 1 else { return self }
    let scaling = outputTransform
    var scaled = self
    scaled.renderSize = outputSize
    scaled.renderScale = 1
    for (number, instruction) in instructions.enumerated() {
      for (layerNumber, layer) in instruction.layers.enumerated() {
        scaled.instructions[number].layers[layerNumber].transform = layer.transform
          .concatenating(scaling, from: instruction.timeRange.start)
      }
    }
    return scaled
  }
}

extension Ramps<AffineTransform> {
  /// The transforms with `next` applied after each of them, including the identity that is in effect from `start` until
  /// the first piece.
  fileprivate func concatenating(_ next: AffineTransform, from start: RationalTime) -> Ramps {
    var moved = pieces.map { piece in
      switch piece {
      case .step(let at, let value): Piece.step(at: at, value: value.concatenating(next))
      case .ramp(let range, let from, let to, let timing):
        Piece.ramp(
          timeRange: range, from: from.concatenating(next), to: to.concatenating(next),
          timingFunction: timing)
      }
    }
    if moved.first.map({ $0.start > start }) ?? true {
      moved.insert(.step(at: start, value: next), at: 0)
    }
    return Ramps(moved)
  }
}
