extension Matte {
  /// Creates the matte of a mask.
  ///
  /// - Parameters:
  ///   - field: the mask's field.
  ///   - progress: how far the mask is open, from 0 to 1.
  ///   - bounds: the pixels that the matte describes, with even edges.
  ///   - coverage: the pixels that the layer covers.
  ///   - base: the layer's own matte within the same bounds, if it has one.
  package init(
    _ field: MaskField, progress: Double, within bounds: PixelBounds,
    covering coverage: PixelBounds,
    base: Matte?
  ) {
    var weights = field.weights(at: progress, in: bounds)
    let width = bounds.right - bounds.left
    if coverage != bounds {
      for row in 0..<bounds.bottom - bounds.top {
        for column in 0..<width
        where !coverage.contains(x: bounds.left + column, y: bounds.top + row) {
          weights[row * width + column] = 0
        }
      }
    }
    if let base {
      for index in weights.indices {
        let product = Int32(weights[index]) * Int32(base.luma.weights[index]) + 8192
        weights[index] = Int16(product >> 14)
      }
    }
    self.init(bounds: bounds, weights: weights)
  }
}

extension PixelBounds {
  /// The bounds, extended to whole blocks of 2 × 2 pixels.
  var evenBounds: PixelBounds {
    PixelBounds(
      left: left & ~1, top: top & ~1, right: (right + 1) & ~1, bottom: (bottom + 1) & ~1)
  }
}
