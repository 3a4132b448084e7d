/// How much of each pixel of a layer is visible, for luma and for chroma: the coverage by an outline, the weight of a
/// mask, or the product of both.
///
/// The weight of a chroma sample is the mean of those of its four pixels.
package struct Matte: Sendable {
  /// The pixels that the matte describes, with even edges.
  package let bounds: PixelBounds
  /// The weights of pixels.
  package let luma: MattePlane
  /// The weights of 2 × 2 blocks of pixels.
  package let chroma: MattePlane

  /// Creates the matte of an outline that lies within `bounds`, whose edges are even.
  package init(_ outline: ConvexOutline, within bounds: PixelBounds) {
    self.bounds = bounds
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
    var weights = [Int16](repeating: 0, count: width * height)
    var kernel = CoverageKernel(left: bounds.left, right: bounds.right)
    for row in 0..<height where !outline.points.isEmpty {
      kernel.cover(outline, row: bounds.top + row, to: &weights, at: row * width)
    }
    luma = MattePlane(width: width, weights: weights)
    chroma = luma.halved
  }

  /// Creates a matte from the weights of the pixels of `bounds`, whose edges are even, row by row.
  package init(bounds: PixelBounds, weights: [Int16]) {
    self.bounds = bounds
    luma = MattePlane(width: bounds.right - bounds.left, weights: weights)
    chroma = luma.halved
  }

  /// Creates a matte from its weights, of which those of chroma have half the size.
  init(bounds: PixelBounds, luma: MattePlane, chroma: MattePlane) {
    self.bounds = bounds
    self.luma = luma
    self.chroma = chroma
  }

  /// The weight of a pixel of the output, which lies within the bounds.
  func weight(atColumn column: Int, row: Int) -> Int16 {
    luma.weights[(row - bounds.top) * luma.width + column - bounds.left]
  }
}

/// Weights in rows.
package struct MattePlane: Sendable {
  /// The columns of a row that have weights.
  package struct Span: Hashable, Sendable {
    /// The columns between the first and the last weight above 0.
    package var shown: Range<Int>
    /// The longest run of columns with the full weight.
    package var whole: Range<Int>
  }

  /// Columns.
  package let width: Int
  /// The weights, 0 to ``BlendKernel/one``, row by row.
  package let weights: [Int16]
  /// The spans of each row.
  package let spans: [Span]

  /// Creates a plane of rows of `width` weights.
  init(width: Int, weights: [Int16]) {
    self.width = width
    self.weights = weights
    spans = weights.withUnsafeBufferPointer { weights in
      stride(from: 0, to: weights.count, by: width).map { start in
        var (first, end) = (0, width)
        while first < end && weights[start + first] == 0 { first += 1 }
        while end > first && weights[start + end - 1] == 0 { end -= 1 }
        var (whole, run) = (first..<first, first)
        for column in first..<end {
          if weights[start + column] < BlendKernel.one {
            run = column + 1
          } else if column + 1 - run > whole.count {
            whole = run..<column + 1
          }
        }
        return Span(shown: first..<end, whole: whole)
      }
    }
  }

  /// The means of blocks of 2 × 2 weights; both sides must be even.
  fileprivate var halved: MattePlane {
    let count = weights.count / 4
    let half = width / 2
    let means = [Int16](unsafeUninitializedCapacity: count) { means, initialized in
      weights.withUnsafeBufferPointer { weights in
        for index in 0..<count {
          let corner = (index / half) * 2 * width + (index % half) * 2
          let sum =
            Int32(weights[corner]) + Int32(weights[corner + 1]) + Int32(weights[corner + width])
            + Int32(weights[corner + width + 1])
          means[index] = Int16((sum + 2) >> 2)
        }
      }
      initialized = count
    }
    return MattePlane(width: half, weights: means)
  }
}
