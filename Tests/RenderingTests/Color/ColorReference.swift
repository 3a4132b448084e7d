import Timeline

import func Foundation.exp
import func Foundation.log
import func Foundation.pow

/// A conversion of colors in real numbers that is written from the standards and shares no code with the product.
struct ColorReference {
  /// A color space by its numbers.
  struct Space {
    /// x and y of red, green and blue; white is D65.
    var primaries: [(Double, Double)]
    var kr: Double
    var kb: Double
    var transfer: ColorSpace.Transfer
    var isFullRange = false
    var bits = 8

    static let p709 = [(0.64, 0.33), (0.30, 0.60), (0.15, 0.06)]
    static let p525 = [(0.63, 0.34), (0.31, 0.595), (0.155, 0.07)]
    static let p625 = [(0.64, 0.33), (0.29, 0.60), (0.15, 0.06)]
    static let p2020 = [(0.708, 0.292), (0.17, 0.797), (0.131, 0.046)]
  }

  var source: Space
  var target: Space
  var peak = 1000.0

  /// The columns of the matrix from red, green and blue to XYZ.
  private static func columns(_ primaries: [(Double, Double)]) -> [[Double]] {
    let points = primaries.map { [$0.0 / $0.1, 1, (1 - $0.0 - $0.1) / $0.1] }
    let white = [0.3127 / 0.3290, 1, (1 - 0.3127 - 0.3290) / 0.3290]
    let sizes = solve(points, white)
    return zip(points, sizes).map { point, size in point.map { $0 * size } }
  }

  /// The weights with which three columns add up to a vector (Cramer's rule).
  private static func solve(_ columns: [[Double]], _ vector: [Double]) -> [Double] {
    func determinant(_ c: [[Double]]) -> Double {
      c[0][0] * (c[1][1] * c[2][2] - c[1][2] * c[2][1])
        - c[1][0] * (c[0][1] * c[2][2] - c[0][2] * c[2][1])
        + c[2][0] * (c[0][1] * c[1][2] - c[0][2] * c[1][1])
    }
    let whole = determinant(columns)
    return (0..<3).map { index in
      var other = columns
      other[index] = vector
      return determinant(other) / whole
    }
  }

  static func pq(luminance: Double) -> Double {
    let y = pow(min(max(luminance, 0) / 10_000, 1), 0.1593017578125)
    return pow((0.8359375 + 18.8515625 * y) / (1 + 18.6875 * y), 78.84375)
  }

  static func luminance(pq value: Double) -> Double {
    let root = pow(min(max(value, 0), 1), 1 / 78.84375)
    return 10_000
      * pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
  }

  /// BT.2390's curve from the peak to 203 cd/m².
  static func mapped(_ luminance: Double, peak: Double) -> Double {
    let e1 = min(pq(luminance: luminance) / pq(luminance: peak), 1)
    let highest = pq(luminance: 203) / pq(luminance: peak)
    let knee = 1.5 * highest - 0.5
    if e1 < knee { return luminance }
    let t = (e1 - knee) / (1 - knee)
    let e2 =
      (2 * t * t * t - 3 * t * t + 1) * knee + (t * t * t - 2 * t * t + t) * (1 - knee)
      + (-2 * t * t * t + 3 * t * t) * highest
    return Self.luminance(pq: e2 * pq(luminance: peak))
  }

  /// Red, green and blue as code values 0 to 1 of the target.
  func components(_ components: [Double]) -> [Double] {
    let (from, to) = (Self.columns(source.primaries), Self.columns(target.primaries))
    var lights: [Double]
    switch source.transfer {
    case .standard:
      lights = components.map { $0 < 0 ? -pow(-$0, 2.4) * 203 : pow($0, 2.4) * 203 }
    case .perceptualQuantizer: lights = components.map { Self.luminance(pq: $0) }
    case .hybridLogGamma:
      let scene = components.map { value -> Double in
        if value <= 0.5 { return max(value, 0) * max(value, 0) / 3 }
        return (exp((value - 0.55991073) / 0.17883277) + 0.28466892) / 12
      }
      let y = zip(scene, from).reduce(0) { $0 + $1.0 * $1.1[1] }
      lights = scene.map { 1000 * pow(max(y, 0), 0.2) * $0 }
    }
    if source.transfer != .standard && target.transfer == .standard {
      let greatest = max(lights[0], lights[1], lights[2])
      if greatest > 0 {
        let factor = Self.mapped(greatest, peak: peak) / greatest
        lights = lights.map { $0 * factor }
      }
    }
    let xyz = (0..<3).map { axis in
      zip(lights, from).reduce(0) { $0 + $1.0 * $1.1[axis] }
    }
    lights = Self.solve(to, xyz)
    switch target.transfer {
    case .standard:
      return lights.map { light in
        let light = light / 203
        if source.transfer != .standard { return pow(min(max(light, 0), 1), 1 / 2.4) }
        return light < 0 ? -pow(-light, 1 / 2.4) : pow(light, 1 / 2.4)
      }
    case .perceptualQuantizer: return lights.map { Self.pq(luminance: $0) }
    case .hybridLogGamma:
      lights = lights.map { max($0, 0) }
      let y = zip(lights, to).reduce(0) { $0 + $1.0 * $1.1[1] }
      let factor = y > 0 ? pow(y / 1000, 1 / 1.2 - 1) / 1000 : 0
      return lights.map { light in
        let scene = light * factor
        return scene <= 1.0 / 12
          ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
      }
    }
  }

  /// Converts luma and chroma of the source to those of the target, in code values.
  func codes(_ codes: [Double]) -> [Double] {
    let from = source.decoded(codes)
    if source.transfer == target.transfer,
      zip(source.primaries, target.primaries).allSatisfy({ $0 == $1 })
    {
      return target.coded(from)
    }
    return target.coded(components(from))
  }
}

extension ColorReference.Space {
  /// Red, green and blue of code values.
  func decoded(_ codes: [Double]) -> [Double] {
    let step = Double(1 << (bits - 8))
    let all = Double(1 << bits) - 1
    let y = isFullRange ? codes[0] / all : (codes[0] / step - 16) / 219
    let cb = isFullRange ? (codes[1] - 128 * step) / all : (codes[1] / step - 128) / 224
    let cr = isFullRange ? (codes[2] - 128 * step) / all : (codes[2] / step - 128) / 224
    let (red, blue) = (y + 2 * (1 - kr) * cr, y + 2 * (1 - kb) * cb)
    return [red, (y - kr * red - kb * blue) / (1 - kr - kb), blue]
  }

  /// Code values, not rounded, of red, green and blue.
  func coded(_ rgb: [Double]) -> [Double] {
    let step = Double(1 << (bits - 8))
    let all = Double(1 << bits) - 1
    let y = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
    let cb = (rgb[2] - y) / (2 * (1 - kb))
    let cr = (rgb[0] - y) / (2 * (1 - kr))
    return isFullRange
      ? [y * all, cb * all + 128 * step, cr * all + 128 * step]
      : [(y * 219 + 16) * step, (cb * 224 + 128) * step, (cr * 224 + 128) * step]
  }
}
