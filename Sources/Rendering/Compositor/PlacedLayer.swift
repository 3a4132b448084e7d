import Media

/// A picture at its final size and orientation, with its place on the output.
package struct PlacedLayer<Sample: PictureSample> {
  package var picture: PlanarPicture<Sample>
  /// The output column of the picture's left edge, in 1/256 of a pixel.
  package var x: Int
  /// The output row of the picture's top edge, in 1/256 of a pixel.
  package var y: Int
  /// The output pixels that show the picture.
  package var coverage: PixelBounds
  /// The picture's opacity, from 0 to ``BlendKernel/one``.
  package var weight: Int16
  /// How much of each pixel the picture covers; `nil` if it covers all of them completely. The matte's bounds are the
  /// coverage, and the picture lies exactly there.
  package var matte: Matte?

  package init(
    picture: PlanarPicture<Sample>, x: Int, y: Int, coverage: PixelBounds, weight: Int16,
    matte: Matte? = nil
  ) {
    self.picture = picture
    self.x = x
    self.y = y
    self.coverage = coverage
    self.weight = weight
    self.matte = matte
  }

  /// Whether nothing below it is visible through it.
  var isOpaque: Bool { weight == BlendKernel.one && matte == nil }

  /// Whether no pixel shows it.
  var isInvisible: Bool { weight == 0 || coverage.isEmpty }

  /// The part of an output pixel inside the coverage that shows the layer, 0 to 1.
  func opacity(atColumn column: Int, row: Int) -> Double {
    let one = Double(BlendKernel.one)
    let covered = matte.map { Double($0.weight(atColumn: column, row: row)) / one } ?? 1
    return covered * Double(weight) / one
  }

  /// The chroma at one output pixel, as if every pixel of the picture had its own chroma sample, the same for all in a
  /// block of 2 × 2 pixels. Between pixels, chroma is interpolated linearly.
  func chroma(_ plane: SamplePlane<Sample>, atColumn column: Int, row: Int) -> Double {
    let (left, across) = split(column * 256 - x)
    let (top, down) = split(row * 256 - y)
    func sample(_ column: Int, _ row: Int) -> Double {
      let column = min(max(column, 0), picture.luma.width - 1) >> 1
      let row = min(max(row, 0), picture.luma.height - 1) >> 1
      return Double(plane.row(row)[column])
    }
    let upper = sample(left, top) * (1 - across) + sample(left + 1, top) * across
    guard down > 0 else { return upper }
    let lower = sample(left, top + 1) * (1 - across) + sample(left + 1, top + 1) * across
    return upper * (1 - down) + lower * down
  }

  private func split(_ position: Int) -> (whole: Int, fraction: Double) {
    (position >> 8, Double(position & 255) / 256)
  }
}
