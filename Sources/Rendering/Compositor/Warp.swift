import Media
import Timeline

/// How a picture appears under a transform that is more than scaling and quarter turns: the position of each output
/// pixel in the picture, and the outline that the picture fills.
package struct Warp: Hashable, Sendable {
  /// The transform from the output to the scaled picture, both in pixels from their top-left corners.
  package var sampling: AffineTransform
  /// The pixels of the scaled picture that may be visible. Cropped pixels do not bleed in.
  package var taps: PixelBounds
  /// The part of the output that the picture covers.
  package var outline: ConvexOutline
  /// The picture's corners, which keep their size; `nil` if all of it is stretched evenly.
  package var corners: CornerSampling?

  package init(
    sampling: AffineTransform, taps: PixelBounds, outline: ConvexOutline,
    corners: CornerSampling? = nil
  ) {
    self.corners = corners
    self.sampling = sampling
    self.taps = taps
    self.outline = outline
  }

  /// Samples `source` at the pixels `bounds` of the output, whose edges are even, into `target`, a picture of that
  /// size. With a `matte`, only the pixels that it shows are written.
  package func sample<Sample: PictureSample>(
    _ source: PlanarPicture<Sample>, on bounds: PixelBounds, matte: Matte?,
    into target: PlanarPicture<Sample>
  ) {
    sample(source.luma, subsampling: 1, on: bounds, matte?.luma, into: target.luma)
    sample(source.cb, subsampling: 2, on: bounds, matte?.chroma, into: target.cb)
    sample(source.cr, subsampling: 2, on: bounds, matte?.chroma, into: target.cr)
  }

  /// Samples a plane. In both the picture and the output, a chroma sample lies at the left of its four pixels: at the
  /// center of the left column, halfway between the rows.
  private func sample<Sample: PictureSample>(
    _ source: SamplePlane<Sample>, subsampling: Int, on bounds: PixelBounds,
    _ matte: MattePlane?, into target: SamplePlane<Sample>
  ) {
    let taps = PixelBounds(
      left: taps.left / subsampling, top: taps.top / subsampling,
      right: min((taps.right + subsampling - 1) / subsampling, source.width),
      bottom: min((taps.bottom + subsampling - 1) / subsampling, source.height))
    let scale = Double(subsampling)
    let x = Double(bounds.left) + 0.5
    for row in 0..<target.height {
      let y = Double(bounds.top) + (Double(row) + 0.5) * scale
      let line = BicubicKernel.Line(
        u: (sampling.a * x + sampling.c * y + sampling.tx) / scale - 0.5 / scale,
        v: (sampling.b * x + sampling.d * y + sampling.ty) / scale - 0.5,
        stepU: sampling.a, stepV: sampling.b)
      BicubicKernel.sample(
        source, within: taps, along: line, columns: matte?.spans[row].shown ?? 0..<target.width,
        to: target.row(row))
    }
  }
}

extension AffineTransform {
  /// The inverse transform; `nil` if the transform maps everything to a line or a point.
  var inverted: AffineTransform? {
    let determinant = a * d - b * c
    guard determinant != 0 else { return nil }
    return AffineTransform(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }
}
