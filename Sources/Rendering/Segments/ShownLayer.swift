import Media

/// A picture ready to be composited.
struct ShownLayer {
  /// The picture, at its final size and orientation.
  var picture: Frame
  /// The part of the picture that is shown, with even edges; `nil` means all of it.
  var part: PixelBounds?
  /// The output column of the left edge, in 1/256 of a pixel.
  var x: Int
  /// The output row of the top edge, in 1/256 of a pixel.
  var y: Int
  /// The output pixels that show the picture.
  var coverage: PixelBounds
  /// The picture's opacity, from 1 to ``BlendKernel/one``.
  var weight: Int16
  /// How much of each pixel it covers; `nil` if it covers all of them completely.
  var matte: Matte?

  init(
    picture: Frame, part: PixelBounds? = nil, x: Int, y: Int, coverage: PixelBounds,
    weight: Int16 = BlendKernel.one, matte: Matte? = nil
  ) {
    self.picture = picture
    self.part = part
    self.x = x
    self.y = y
    self.coverage = coverage
    self.weight = weight
    self.matte = matte
  }

  init(_ picture: Frame, at placement: Placement, matte: Matte?) {
    self.init(
      picture: picture, x: placement.x, y: placement.y, coverage: placement.coverage, matte: matte)
  }

  /// Whether it hides everything below it on `canvas`.
  func hidesAll(of canvas: PixelBounds) -> Bool {
    weight == BlendKernel.one && coverage == canvas && matte == nil
  }

  /// Whether the picture can be the output frame unchanged.
  func isWhole(on canvas: PixelBounds) -> Bool {
    hidesAll(of: canvas) && x == 0 && y == 0 && part == nil && picture.width == canvas.right
      && picture.height == canvas.bottom
  }

  /// The layer with borrowed planes.
  func placed<Sample: PictureSample>(_ picture: PlanarPicture<Sample>) -> PlacedLayer<Sample> {
    PlacedLayer(
      picture: part.map { picture.part($0) } ?? picture, x: x, y: y, coverage: coverage,
      weight: weight, matte: matte)
  }
}
