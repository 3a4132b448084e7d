import Media
import Timeline

/// Samples a translucent picture at pixels of the output, into planes with straight colors and a matte.
///
/// A luma sample has its pixel's color, and the pixel's alpha as its weight. A chroma sample is the mean of its four
/// pixels' colors, weighted by their alpha, and has their mean alpha as its weight. The color of a transparent pixel is
/// therefore never visible, and the result over any background is that of compositing each pixel separately.
struct TranslucentSampler {
  let picture: TranslucentPicture
  /// The positions of the output's pixels in the picture.
  let warp: Warp
  /// The color that replaces those of all pixels, in 8-bit code values; `nil` for none.
  let tint: SIMD4<Float>?

  /// Samples the picture at the pixels `bounds` of the output, whose edges are even.
  func sample<Sample: PictureSample>(
    _ sample: Sample.Type, on bounds: PixelBounds
  ) throws -> (picture: Frame, matte: Matte) {
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
    let outline = Matte(warp.outline, within: bounds)
    var luma = [Int16](repeating: 0, count: width * height)
    var chroma = [Int16](repeating: 0, count: width * height / 4)
    let frame = try Frame(width: width, height: height, pixelFormat: Sample.planarFormat)
    try frame.withMutablePicture(of: Sample.self) { target in
      var rows = [[SIMD4<Float>]](
        repeating: [SIMD4<Float>](repeating: .zero, count: width), count: 2)
      for row in stride(from: 0, to: height, by: 2) {
        for line in 0..<2 {
          let shown = outline.luma.spans[row + line].shown
          sampleRow(bounds.top + row + line, left: bounds.left, columns: shown, to: &rows[line])
          write(
            rows[line], covered: outline.luma, row: row + line, to: target.luma, weights: &luma)
        }
        writeChroma(
          rows, row: row, cb: target.cb, cr: target.cr, luma: luma, width: width,
          weights: &chroma, covered: outline.luma)
      }
    }
    let matte = Matte(
      bounds: bounds, luma: MattePlane(width: width, weights: luma),
      chroma: MattePlane(width: width / 2, weights: chroma))
    return (frame, matte)
  }

  /// Samples one row of pixels. Those outside `columns` are transparent; alpha is 0 ... 255.
  private func sampleRow(
    _ y: Int, left: Int, columns: Range<Int>, to row: inout [SIMD4<Float>]
  ) {
    for column in row.indices where !columns.contains(column) { row[column] = .zero }
    let (map, corners) = (warp.sampling, warp.corners)
    let v0 = Double(y) + 0.5
    let one = 1 / TranslucentPicture.one
    picture.pixels.withUnsafeBufferPointer { pixels in
      for column in columns {
        let x = Double(left + column) + 0.5
        var u = map.a * x + map.c * v0 + map.tx
        var v = map.b * x + map.d * v0 + map.ty
        if let corners { (u, v) = corners.position(u, v) }
        (u, v) = (u - 0.5, v - 0.5)
        row[column] = TranslucentPicture.limited(bicubic(pixels, u, v) * one)
      }
    }
  }

  @inline(__always)
  private func bicubic(
    _ pixels: UnsafeBufferPointer<TranslucentPicture.Pixel>, _ u: Double, _ v: Double
  ) -> SIMD4<Float> {
    let taps = warp.taps
    // Positions are rounded to 1/4096, so that integers stay integers despite rounding errors.
    let (u, v) = (snapped(u, taps.left, taps.right), snapped(v, taps.top, taps.bottom))
    let (x, y) = (u.rounded(.down), v.rounded(.down))
    let (column, row) = (Int(x), Int(y))
    let (across, down) = (weights(Float(u - x)), weights(Float(v - y)))
    var sum = SIMD4<Float>.zero
    let isInside =
      column > taps.left && column + 2 < taps.right && row > taps.top && row + 2 < taps.bottom
    for line in 0..<4 {
      let y = isInside ? row - 1 + line : min(max(row - 1 + line, taps.top), taps.bottom - 1)
      let start = y * picture.width
      var mixed = SIMD4<Float>.zero
      for place in 0..<4 {
        let x =
          isInside
          ? column - 1 + place : min(max(column - 1 + place, taps.left), taps.right - 1)
        mixed += SIMD4<Float>(pixels[start + x]) * across[place]
      }
      sum += mixed * down[line]
    }
    return sum
  }

  @inline(__always)
  private func snapped(_ value: Double, _ first: Int, _ end: Int) -> Double {
    min(max((value * 4096).rounded() / 4096, Double(first - 2)), Double(end + 1))
  }

  /// Keys's weights, as in ``BicubicKernel``.
  @inline(__always)
  private func weights(_ t: Float) -> SIMD4<Float> {
    SIMD4(
      ((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
      ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t)
  }

  /// Writes a row's luma and its weights.
  private func write<Sample: PictureSample>(
    _ pixels: [SIMD4<Float>], covered: MattePlane, row: Int, to plane: SamplePlane<Sample>,
    weights: inout [Int16]
  ) {
    let target = plane.row(row)
    for column in pixels.indices {
      let pixel = pixels[column]
      let place = row * pixels.count + column
      let weight = pixel.w / TranslucentPicture.opaque * Float(covered.weights[place])
      weights[place] = Int16((weight + 0.5).rounded(.down))
      target[column] = code(tint?.x ?? pixel.x / max(pixel.w, 1e-3) * TranslucentPicture.opaque)
    }
  }

  private func writeChroma<Sample: PictureSample>(
    _ rows: [[SIMD4<Float>]], row: Int, cb: SamplePlane<Sample>, cr: SamplePlane<Sample>,
    luma: [Int16], width: Int, weights: inout [Int16], covered: MattePlane
  ) {
    let (blue, red) = (cb.row(row / 2), cr.row(row / 2))
    for column in 0..<width / 2 {
      var sum = SIMD4<Float>.zero
      var weight: Int32 = 0
      for (line, x) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
        let place = (row + line) * width + 2 * column + x
        sum += rows[line][2 * column + x] * Float(covered.weights[place])
        weight += Int32(luma[place])
      }
      weights[row / 2 * (width / 2) + column] = Int16((weight + 2) >> 2)
      let color = sum / max(sum.w, 1e-3) * TranslucentPicture.opaque
      blue[column] = code(tint?.y ?? color.y)
      red[column] = code(tint?.z ?? color.z)
    }
  }

  /// Converts an 8-bit code value to a sample.
  @inline(__always)
  private func code<Sample: PictureSample>(_ value: Float) -> Sample {
    let scaled = value * Float(1 << (Sample.bitDepth - 8))
    return Sample(truncatingIfNeeded: Int32(min(max(scaled + 0.5, 0), Float(Sample.highest))))
  }
}
