import Media

/// A view of samples in rows, valid while its owner keeps them.
package struct SamplePlane<Sample: PictureSample> {
  /// The sample at column 0 of row 0.
  package let base: UnsafeMutablePointer<Sample>
  /// Samples from one row to the next; at least ``width``.
  package let stride: Int
  /// Columns.
  package let width: Int
  /// Rows.
  package let height: Int

  /// Creates a view of `width` × `height` samples whose rows are `stride` samples apart.
  package init(base: UnsafeMutablePointer<Sample>, stride: Int, width: Int, height: Int) {
    self.base = base
    self.stride = stride
    self.width = width
    self.height = height
  }

  /// The first sample of a row.
  @inline(__always)
  package func row(_ y: Int) -> UnsafeMutablePointer<Sample> { base + y * stride }
}

/// A view of a YUV 4:2:0 picture: a luma plane, and two of half the size, rounded up.
package struct PlanarPicture<Sample: PictureSample> {
  package let luma: SamplePlane<Sample>
  /// Blue difference.
  package let cb: SamplePlane<Sample>
  /// Red difference.
  package let cr: SamplePlane<Sample>

  package init(luma: SamplePlane<Sample>, cb: SamplePlane<Sample>, cr: SamplePlane<Sample>) {
    self.luma = luma
    self.cb = cb
    self.cr = cr
  }
}

/// A code value for each plane of a picture.
package struct PlanarColor<Sample: PictureSample>: Hashable, Sendable {
  /// Luma; at 8 bits, 16 (black) to 235 (white).
  package var luma: Sample
  /// Blue difference; at 8 bits, 128 is none.
  package var cb: Sample
  /// Red difference; at 8 bits, 128 is none.
  package var cr: Sample

  /// Creates a color from its code values.
  package init(luma: Sample, cb: Sample, cr: Sample) {
    (self.luma, self.cb, self.cr) = (luma, cb, cr)
  }
}

/// Whole columns and rows, `left ..< right` and `top ..< bottom`.
package struct PixelBounds: Hashable, Sendable {
  /// The first column.
  package var left: Int
  /// The first row.
  package var top: Int
  /// The column after the last.
  package var right: Int
  /// The row after the last.
  package var bottom: Int

  /// Creates bounds from their edges.
  package init(left: Int, top: Int, right: Int, bottom: Int) {
    self.left = left
    self.top = top
    self.right = right
    self.bottom = bottom
  }

  /// The smallest bounds that contain both.
  func union(_ other: PixelBounds) -> PixelBounds {
    PixelBounds(
      left: min(left, other.left), top: min(top, other.top), right: max(right, other.right),
      bottom: max(bottom, other.bottom))
  }

  /// Whether the bounds contain no pixel.
  package var isEmpty: Bool { left >= right || top >= bottom }

  /// Whether the pixel is inside.
  package func contains(x: Int, y: Int) -> Bool {
    left <= x && x < right && top <= y && y < bottom
  }

  /// The pixels in both.
  package func intersection(_ other: PixelBounds) -> PixelBounds {
    PixelBounds(
      left: max(left, other.left), top: max(top, other.top), right: min(right, other.right),
      bottom: min(bottom, other.bottom))
  }
}
