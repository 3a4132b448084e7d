import Media
import Timeline

/// The linear map from a picture's three components to luma and the blue and red differences, in 8-bit code values of
/// limited range, with alpha as the fourth number.
struct PixelMatrix {
  private let offset: SIMD4<Float>
  private let columns: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  /// The conversion of components to the target's colors, if it is not linear.
  private let change: ((SIMD3<Double>) -> SIMD3<Double>)?

  /// Creates the map from sRGB components, each 0 to 1.
  init(fromRGBTo target: ColorSpace) {
    var plain = target
    (plain.primaries, plain.transfer) = (.bt709, .standard)
    self.init(
      columns: Self.rows(of: LumaWeights(target)), offsets: [0, 0, 0],
      change: Self.change(from: plain, to: target))
  }

  /// Creates the map from luma and color differences, each divided by 255 at 8 bits.
  init(from source: ColorSpace, to target: ColorSpace) {
    let (from, to) = (LumaWeights(source), LumaWeights(target))
    let isFullRange = source.isFullRange
    var alike = source
    (alike.matrix, alike.isFullRange) = (target.matrix, target.isFullRange)
    let change = Self.change(from: alike, to: target)
    // Luma is 0 to 1, and differences are −1/2 to 1/2.
    let scales = isFullRange ? [1, 1, 1] : [255.0 / 219, 255.0 / 224, 255.0 / 224]
    let zeros =
      isFullRange ? [0, 128.0 / 255, 128.0 / 255] : [16.0 / 255, 128.0 / 255, 128.0 / 255]
    let back = from.inverse
    let forth = Self.rows(of: to)
    var rows = [[Double]](repeating: [0, 0, 0], count: 3)
    for row in 0..<3 {
      for column in 0..<3 {
        rows[row][column] =
          (0..<3).reduce(0) { $0 + forth[row][$1] * back[$1][column] } * scales[column]
      }
    }
    if let change {
      self.init(
        columns: forth, offsets: [0, 0, 0],
        change: { components in
          var colors = SIMD3<Double>()
          for row in 0..<3 {
            for column in 0..<3 {
              let value: Double = components[column] - zeros[column]
              colors[row] += value * scales[column] * back[row][column]
            }
          }
          return change(colors)
        })
      return
    }
    if from == to {
      for row in 0..<3 {
        for column in 0..<3 {
          rows[row][column] = row == column ? [219, 224, 224][row] * scales[column] : 0
        }
      }
    }
    self.init(columns: rows, offsets: zeros, change: nil)
  }

  /// The conversion of red, green and blue to the target's colors, if it is not linear.
  private static func change(
    from source: ColorSpace, to target: ColorSpace
  ) -> ((SIMD3<Double>) -> SIMD3<Double>)? {
    guard let conversion = ColorConversion(from: source, to: target), !conversion.isLinear else {
      return nil
    }
    return { colors in
      let converted = conversion.converted([colors.x, colors.y, colors.z])
      return SIMD3(converted[0], converted[1], converted[2])
    }
  }

  /// - Parameters:
  ///   - rows: the factors of the components in each code value.
  ///   - offsets: the values at which components count as zero.
  private init(
    columns rows: [[Double]], offsets: [Double], change: ((SIMD3<Double>) -> SIMD3<Double>)?
  ) {
    self.change = change
    func vector(_ values: (Int) -> Double, _ last: Double) -> SIMD4<Float> {
      SIMD4(Float(values(0)), Float(values(1)), Float(values(2)), Float(last))
    }
    let bases = [16.0, 128, 128]
    offset = vector(
      { row in bases[row] - (0..<3).reduce(0) { $0 + rows[row][$1] * offsets[$1] } }, 255)
    columns = (
      vector({ rows[$0][0] }, 0), vector({ rows[$0][1] }, 0), vector({ rows[$0][2] }, 0)
    )
  }

  /// The factors from red, green and blue, each 0 to 1, to code values without their offsets.
  private static func rows(of weights: LumaWeights) -> [[Double]] {
    let (kr, kb) = (weights.red, weights.blue)
    let kg = 1 - kr - kb
    return [
      [219 * kr, 219 * kg, 219 * kb],
      [-112 * kr / (1 - kb), -112 * kg / (1 - kb), 112],
      [112, -112 * kg / (1 - kr), -112 * kb / (1 - kr)],
    ]
  }

  /// The code values of components, not multiplied by alpha, and an alpha of 255.
  @inline(__always)
  func straight(_ first: Float, _ second: Float, _ third: Float) -> SIMD4<Float> {
    guard let change else {
      return offset + columns.0 * first + columns.1 * second + columns.2 * third
    }
    let other = SIMD3<Float>(change(SIMD3(Double(first), Double(second), Double(third))))
    return offset + columns.0 * other.x + columns.1 * other.y + columns.2 * other.z
  }

  /// The pixel of components with an alpha of 0 to 1.
  @inline(__always)
  func pixel(
    _ first: Float, _ second: Float, _ third: Float, alpha: Float
  ) -> TranslucentPicture.Pixel {
    TranslucentPicture.pixel(straight(first, second, third) * alpha)
  }
}

/// The weights of red and blue in luma.
private struct LumaWeights: Equatable {
  let red: Double
  let blue: Double

  init(_ space: ColorSpace) { (red, blue) = space.matrix.weights }

  /// The matrix from luma of 0 to 1 and differences of −1/2 to 1/2 to red, green and blue.
  var inverse: [[Double]] {
    let green = 1 - red - blue
    return [
      [1, 0, 2 * (1 - red)],
      [1, -2 * blue * (1 - blue) / green, -2 * red * (1 - red) / green],
      [1, 2 * (1 - blue), 0],
    ]
  }
}
