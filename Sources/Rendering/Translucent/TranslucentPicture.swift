import Timeline

/// A picture that may be translucent. Each pixel has luma, blue difference, red difference and alpha; the first three
/// are multiplied by alpha.
///
/// Pixels are mixed only in this form, so that transparent pixels have no color that could bleed into others.
struct TranslucentPicture {
  /// Luma, blue difference and red difference, each an 8-bit code value times alpha, and alpha from 0 to 255, all in
  /// units of 1/``one``.
  typealias Pixel = SIMD4<Int16>

  /// The stored value of one code value. It leaves a quarter as headroom, because filters overshoot.
  static let one: Float = 100
  /// The alpha of an opaque pixel.
  static let opaque: Float = 255

  /// Columns.
  let width: Int
  /// Rows.
  let height: Int
  /// The pixels, row by row.
  let pixels: [Pixel]

  var size: PixelSize { PixelSize(width: width, height: height) }

  /// Creates a picture from its pixels, row by row.
  init(width: Int, height: Int, pixels: [Pixel]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The result of a filter with its alpha limited to 0 to ``opaque``, and the same color.
  @inline(__always)
  static func limited(_ value: SIMD4<Float>) -> SIMD4<Float> {
    guard value.w > 0 else { return .zero }
    return value.w > opaque ? value * (opaque / value.w) : value
  }

  /// A pixel in the stored form.
  @inline(__always)
  static func pixel(_ value: SIMD4<Float>) -> Pixel {
    let limited = (value * one).rounded(.toNearestOrAwayFromZero).clamped(
      lowerBound: SIMD4(repeating: -32_000), upperBound: SIMD4(repeating: 32_000))
    return Pixel(truncatingIfNeeded: SIMD4<Int32>(limited))
  }
}

extension TranslucentPicture {
  /// The picture at a smaller size. The cubic filter of each side is widened by the factor of the reduction.
  func reduced(to size: PixelSize) -> TranslucentPicture {
    guard size != self.size else { return self }
    let across = ReductionFilter(from: width, to: size.width)
    let down = ReductionFilter(from: height, to: size.height)
    var rows = [SIMD4<Float>](repeating: .zero, count: size.width * height)
    for row in 0..<height {
      for column in 0..<size.width {
        var sum = SIMD4<Float>.zero
        for (tap, weight) in across.taps(of: column) {
          sum += SIMD4<Float>(pixels[row * width + tap]) * weight
        }
        rows[row * size.width + column] = sum
      }
    }
    var reduced: [Pixel] = []
    reduced.reserveCapacity(size.width * size.height)
    for row in 0..<size.height {
      let taps = down.taps(of: row)
      for column in 0..<size.width {
        var sum = SIMD4<Float>.zero
        for (tap, weight) in taps { sum += rows[tap * size.width + column] * weight }
        reduced.append(Self.pixel(sum / Self.one))
      }
    }
    return TranslucentPicture(width: size.width, height: size.height, pixels: reduced)
  }
}

/// The weights that reduce a number of samples to a smaller one.
private struct ReductionFilter {
  private var weights: [[(Int, Float)]] = []

  /// Creates a filter that reduces `length` samples to `count`.
  init(from length: Int, to count: Int) {
    let step = Double(length) / Double(count)
    let width = max(step, 1)
    for place in 0..<count {
      let middle = (Double(place) + 0.5) * step - 0.5
      let first = Int((middle - 2 * width).rounded(.up))
      let last = Int((middle + 2 * width).rounded(.down))
      var taps: [(Int, Double)] = []
      var sum = 0.0
      for tap in first...max(first, last) {
        let weight = Self.cubic(abs(Double(tap) - middle) / width)
        guard weight != 0 else { continue }
        sum += weight
        taps.append((min(max(tap, 0), length - 1), weight))
      }
      weights.append(taps.map { ($0.0, Float($0.1 / sum)) })
    }
  }

  func taps(of place: Int) -> [(Int, Float)] { weights[place] }

  /// Keys's kernel with a = −1/2, as in ``BicubicKernel``.
  private static func cubic(_ x: Double) -> Double {
    if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
    if x < 2 { return ((-0.5 * x + 2.5) * x - 4) * x + 2 }
    return 0
  }
}
