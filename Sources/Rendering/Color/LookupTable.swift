/// A function of one number that is sampled evenly and interpolated linearly.
final class LookupTable {
  /// Each sample, and the difference to the next one.
  private let values: UnsafeMutablePointer<(Float, Float)>
  private let low: Float
  private let scale: Float
  private let last: Float
  /// 2²³: added to a smaller number, it leaves that number's nearest integer in the lowest bits.
  private static let magic: Float = 8_388_608

  /// Creates a table of `count` samples from the lower to the upper bound of `range`. Numbers outside count as the
  /// bounds.
  init(count: Int, over range: ClosedRange<Double>, of function: (Double) -> Double) {
    values = .allocate(capacity: count)
    let step = (range.upperBound - range.lowerBound) / Double(count - 1)
    let samples = (0..<count).map { function(range.lowerBound + Double($0) * step) }
    for (index, sample) in samples.enumerated() {
      let next = samples[min(index + 1, count - 1)]
      values[index] = (Float(sample), Float(next - sample))
    }
    low = Float(range.lowerBound)
    scale = Float(1 / step)
    last = Float(count - 1)
  }

  deinit { values.deallocate() }

  /// Four values at once.
  @inline(__always)
  func callAsFunction(_ numbers: SIMD4<Float>) -> SIMD4<Float> {
    let position = ((numbers - low) * scale).clamped(
      lowerBound: SIMD4(repeating: 0), upperBound: SIMD4(repeating: last))
    // The sample before the position; if it lies on a sample, that one or the one before.
    let whole = pointwiseMax(position - 0.5, SIMD4(repeating: 0)) + Self.magic
    let bits = unsafeBitCast(whole, to: SIMD4<UInt32>.self) & 0x007F_FFFF
    let fraction = position - (whole - Self.magic)
    let (first, second) = (values[Int(bits[0])], values[Int(bits[1])])
    let (third, fourth) = (values[Int(bits[2])], values[Int(bits[3])])
    return SIMD4(first.0, second.0, third.0, fourth.0)
      + fraction * SIMD4(first.1, second.1, third.1, fourth.1)
  }
}
