import Timeline

/// Converts RGB values between color spaces through linear light, four pixels at a time.
///
/// Light is looked up by its fourth root, because all curves are smooth functions of that, even near black.
final class LightCurves {
  private let light: LookupTable
  private let opening: LookupTable?
  private let compression: LookupTable?
  private let closing: LookupTable?
  private let value: LookupTable
  private let isSigned: Bool
  private let map: (SIMD4<Float>, SIMD4<Float>, SIMD4<Float>)
  private let luminance: (source: SIMD4<Float>, target: SIMD4<Float>)

  /// Creates the curves of a conversion that is not linear.
  init(_ conversion: ColorConversion) {
    // 2.7⁴ times white is more than the 10,000 cd/m² that PQ ends at.
    func table(_ function: @escaping (Double) -> Double) -> LookupTable {
      LookupTable(count: 16_385, over: 0...2.7) { root in
        function(root * root * root * root)
      }
    }
    light = LookupTable(count: 16_385, over: -0.5...1.5, of: conversion.light)
    opening =
      conversion.source.transfer == .hybridLogGamma ? table(conversion.opening) : nil
    compression = conversion.mapsTones ? table(conversion.compression) : nil
    closing = conversion.target.transfer == .hybridLogGamma ? table(conversion.closing) : nil
    value = table(conversion.value)
    isSigned = !conversion.source.transfer.isHDR && !conversion.target.transfer.isHDR
    func row(_ numbers: [Double]) -> SIMD4<Float> {
      SIMD4(Float(numbers[0]), Float(numbers[1]), Float(numbers[2]), 0)
    }
    let rows = conversion.source.primaries.map(to: conversion.target.primaries).rows
    map = (row(rows[0]), row(rows[1]), row(rows[2]))
    luminance = (
      row(conversion.source.primaries.luminance), row(conversion.target.primaries.luminance)
    )
  }

  /// Converts the components in place.
  @inline(__always)
  func map(_ red: inout SIMD4<Float>, _ green: inout SIMD4<Float>, _ blue: inout SIMD4<Float>) {
    (red, green, blue) = (light(red), light(green), light(blue))
    if let opening {
      scale(&red, &green, &blue, by: opening, of: luminance.source)
    }
    if let compression {
      let factor = compression(
        Self.root(pointwiseMax(pointwiseMax(red, green), blue)))
      (red, green, blue) = (red * factor, green * factor, blue * factor)
    }
    let lights = (red, green, blue)
    func mixed(_ row: SIMD4<Float>) -> SIMD4<Float> {
      lights.0 * row[0] + lights.1 * row[1] + lights.2 * row[2]
    }
    (red, green, blue) = (mixed(map.0), mixed(map.1), mixed(map.2))
    if let closing {
      let zero = SIMD4<Float>(repeating: 0)
      (red, green, blue) = (
        pointwiseMax(red, zero), pointwiseMax(green, zero), pointwiseMax(blue, zero)
      )
      scale(&red, &green, &blue, by: closing, of: luminance.target)
    }
    (red, green, blue) = (coded(red), coded(green), coded(blue))
  }

  @inline(__always)
  private func scale(
    _ red: inout SIMD4<Float>, _ green: inout SIMD4<Float>, _ blue: inout SIMD4<Float>,
    by table: LookupTable, of weights: SIMD4<Float>
  ) {
    let factor = table(
      Self.root(red * weights[0] + green * weights[1] + blue * weights[2]))
    (red, green, blue) = (red * factor, green * factor, blue * factor)
  }

  /// The code values of light. In standard dynamic range, light below black keeps its sign, because it may be a valid
  /// color with the other primaries.
  @inline(__always)
  private func coded(_ lights: SIMD4<Float>) -> SIMD4<Float> {
    guard isSigned else { return value(Self.root(lights)) }
    let isBelow = lights .< 0
    let values = value(Self.root(lights.replacing(with: -lights, where: isBelow)))
    return values.replacing(with: -values, where: isBelow)
  }

  /// The fourth root, which is 0 for negative numbers.
  @inline(__always)
  private static func root(_ numbers: SIMD4<Float>) -> SIMD4<Float> {
    pointwiseMax(numbers, SIMD4(repeating: 0)).squareRoot().squareRoot()
  }
}
