/// Mixes a row of samples into another with one weight.
///
/// `destination + (source − destination) × weight`, rounded to nearest with halves up. The weight has 14
/// fractional bits, so that the outcome is within 0.51 code values of the real number. The difference fits in 16
/// bits and so does the weight: the product is one 16 × 16 → 32 bit multiplication a lane.
package enum BlendKernel {
  /// The weight that replaces the destination by the source.
  package static let one: Int16 = 1 << 14

  /// The weight nearest to an opacity of 0 to 1.
  package static func weight(ofOpacity opacity: Double) -> Int16 {
    Int16((min(max(opacity, 0), 1) * Double(one)).rounded())
  }

  /// Mixes `count` samples, in a form that the compiler turns into vector instructions.
  package static func blend(
    _ source: UnsafePointer<UInt8>, into destination: UnsafeMutablePointer<UInt8>, count: Int,
    weight: Int16
  ) {
    let factor = Int32(weight)
    for index in 0..<count {
      let below = Int16(truncatingIfNeeded: destination[index])
      let difference = Int32(Int16(truncatingIfNeeded: source[index]) &- below)
      let step = (difference &* factor &+ 8192) &>> 14
      destination[index] = UInt8(truncatingIfNeeded: below &+ Int16(truncatingIfNeeded: step))
    }
  }

  /// The same, one sample at a time in the plainest arithmetic: what ``blend(_:into:count:weight:)`` must equal.
  package static func reference(source: UInt8, destination: UInt8, weight: Int16) -> UInt8 {
    let weight = Int(weight)
    let sum = Int(source) * weight + Int(destination) * (Int(one) - weight)
    return UInt8((sum + Int(one) / 2) / Int(one))
  }
}
