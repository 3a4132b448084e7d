import Media
import Timeline

/// Applies a ``ColorConversion`` to the samples of a picture.
///
/// Each chroma sample applies to its four pixels, which are converted one by one; the new chroma sample is the mean of
/// theirs. The kernel computes in 32-bit floating point with additions, multiplications, square roots and tables of the
/// curves only, so the result is the same on every machine, and well within one code value of the exact one.
package final class ColorKernel<Input: PictureSample, Output: PictureSample> {
  private let conversion: ColorConversion
  private let coefficients: Coefficients
  private let curves: LightCurves?

  /// The coefficients of a conversion between depths.
  private struct Coefficients {
    /// The mapping from codes to luma and chroma.
    var luma: (scale: Float, offset: Float)
    var chroma: (scale: Float, offset: Float)
    /// The factors from chroma to the differences of red, green and blue from luma.
    var redFromCr: Float
    var greenFromCb: Float
    var greenFromCr: Float
    var blueFromCb: Float
    /// The weights of the target's red, green and blue in luma.
    var weights: (Float, Float, Float)
    /// The factors from the differences of blue and red from luma to codes, and from luma to codes.
    var blueToCode: Float
    var redToCode: Float
    var lumaToCode: Float
    var black: Float
    var neutral: Float
  }

  /// Creates a kernel for a conversion.
  package init(_ conversion: ColorConversion) {
    self.conversion = conversion
    let input = conversion.source.quantization(depth: Input.bitDepth)
    let output = conversion.target.quantization(depth: Output.bitDepth)
    let back = conversion.source.matrix.toRGB.rows
    let (red, blue) = conversion.target.matrix.weights
    coefficients = Coefficients(
      luma: (Float(1 / input.luma), Float(-input.black / input.luma)),
      chroma: (Float(1 / input.chroma), Float(-input.neutral / input.chroma)),
      redFromCr: Float(back[0][2]), greenFromCb: Float(back[1][1]),
      greenFromCr: Float(back[1][2]), blueFromCb: Float(back[2][1]),
      weights: (Float(red), Float(1 - red - blue), Float(blue)),
      blueToCode: Float(output.chroma / (2 * (1 - blue))),
      redToCode: Float(output.chroma / (2 * (1 - red))), lumaToCode: Float(output.luma),
      black: Float(output.black), neutral: Float(output.neutral))
    curves = conversion.isLinear ? nil : LightCurves(conversion)
  }

  /// Converts a picture into another of the same size.
  package func convert(_ source: PlanarPicture<Input>, to target: PlanarPicture<Output>) {
    if let curves {
      convert(source, to: target) { red, green, blue in curves.map(&red, &green, &blue) }
    } else {
      convert(source, to: target) { _, _, _ in }
    }
  }

  @inline(__always)
  private func convert(
    _ source: PlanarPicture<Input>, to target: PlanarPicture<Output>,
    _ map: (inout SIMD4<Float>, inout SIMD4<Float>, inout SIMD4<Float>) -> Void
  ) {
    let numbers = coefficients
    let (lastColumn, lastRow) = (source.luma.width - 1, source.luma.height - 1)
    for row in 0..<source.cb.height {
      let (top, bottom) = (2 * row, min(2 * row + 1, lastRow))
      let from = (source.luma.row(top), source.luma.row(bottom))
      let to = (target.luma.row(top), target.luma.row(bottom))
      let (cbRow, crRow) = (source.cb.row(row), source.cr.row(row))
      let (cbTarget, crTarget) = (target.cb.row(row), target.cr.row(row))
      for column in 0..<source.cb.width {
        let (left, right) = (2 &* column, min(2 &* column &+ 1, lastColumn))
        let codes = SIMD4<Float>(
          Float(from.0[left]), Float(from.0[right]), Float(from.1[left]), Float(from.1[right]))
        let luma = codes * numbers.luma.scale + numbers.luma.offset
        let cb = Float(cbRow[column]) * numbers.chroma.scale + numbers.chroma.offset
        let cr = Float(crRow[column]) * numbers.chroma.scale + numbers.chroma.offset
        var red = luma + numbers.redFromCr * cr
        var green = luma + (numbers.greenFromCb * cb + numbers.greenFromCr * cr)
        var blue = luma + numbers.blueFromCb * cb
        map(&red, &green, &blue)
        let mixed =
          red * numbers.weights.0 + green * numbers.weights.1 + blue * numbers.weights.2
        let lumas = Self.codes(mixed * numbers.lumaToCode + numbers.black)
        to.0[left] = Output(truncatingIfNeeded: lumas[0])
        to.0[right] = Output(truncatingIfNeeded: lumas[1])
        to.1[left] = Output(truncatingIfNeeded: lumas[2])
        to.1[right] = Output(truncatingIfNeeded: lumas[3])
        let means = Self.codes(
          SIMD4(
            (blue - mixed).sum() * 0.25 * numbers.blueToCode + numbers.neutral,
            (red - mixed).sum() * 0.25 * numbers.redToCode + numbers.neutral, 0, 0))
        cbTarget[column] = Output(truncatingIfNeeded: means[0])
        crTarget[column] = Output(truncatingIfNeeded: means[1])
      }
    }
  }

  /// The nearest code values.
  @inline(__always)
  private static func codes(_ values: SIMD4<Float>) -> SIMD4<UInt32> {
    let bounded = values.clamped(
      lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: Float(Output.highest)))
    return unsafeBitCast(bounded + 8_388_608, to: SIMD4<UInt32>.self) & 0x007F_FFFF
  }
}
