import Foundation

/// Blurs a mask with a Gaussian.
enum MaskBlur {
  /// How many times smaller a mask may be for a blur of the given deviation. At a deviation of 16 pixels, linear
  /// interpolation is off by less than one level.
  static func reduction(for deviation: Double) -> Int {
    deviation < 32 ? 1 : Int(min(deviation / 16, 1000))
  }

  /// Blurs a mask in place, first across, then down.
  ///
  /// - Parameter deviation: the Gaussian's standard deviation, in pixels.
  static func blur(_ mask: Canvas, deviation: Double) {
    guard deviation > 0.05 else { return }
    let reach = Int((deviation * 3).rounded(.up))
    let weights = (-reach...reach).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
    let sum = weights.reduce(0, +)
    let kernel = weights.map { Float($0 / sum) }
    _ = mask.withPixels { pixels, stride in
      for row in 0..<mask.height {
        blur(pixels + row * stride, count: mask.width, step: 1, kernel, reach)
      }
      for column in 0..<mask.width {
        blur(pixels + column, count: mask.height, step: stride, kernel, reach)
      }
    }
  }

  private static func blur(
    _ line: UnsafeMutablePointer<UInt8>, count: Int, step: Int, _ kernel: [Float], _ reach: Int
  ) {
    let before = (0..<count).map { Float(line[$0 * step]) }
    guard before.contains(where: { $0 > 0 }) else { return }
    for place in 0..<count {
      var sum: Float = 0
      for number in max(place - reach, 0)...min(place + reach, count - 1) {
        sum += before[number] * kernel[number - place + reach]
      }
      line[place * step] = UInt8(min(max(sum.rounded(), 0), 255))
    }
  }
}
