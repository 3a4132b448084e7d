import Media

/// Mixes a row of samples into another with one weight.
///
/// `destination + (source − destination) × weight`, rounded to nearest with halves up. The weight has 14
/// fractional bits, so the result is within 0.51 code values of the exact one.
package enum BlendKernel {
  /// The weight that replaces the destination with the source.
  package static let one: Int16 = 1 << 14

  /// The weight nearest to an opacity of 0 to 1.
  package static func weight(ofOpacity opacity: Double) -> Int16 {
    Int16((min(max(opacity, 0), 1) * Double(one)).rounded())
  }

  /// Mixes `count` samples.
  ///
  /// Bytes are mixed in 16-bit lanes, of which the baseline processor multiplies eight at a time. The weight is split
  /// into two parts of 7 bits, `128 high + low`, so that no product exceeds 16 bits. Rounding down twice equals
  /// rounding down once, so `(128 × difference × high + difference × low + 8192) >> 14` can shift the second product
  /// first.
  package static func blend<Sample: PictureSample>(
    _ source: UnsafePointer<Sample>, into destination: UnsafeMutablePointer<Sample>, count: Int,
    weight: Int16
  ) {
    guard Sample.bitDepth == 8 else {
      for index in 0..<count {
        let below = Int32(truncatingIfNeeded: destination[index])
        let difference = Int16(
          truncatingIfNeeded: Int32(truncatingIfNeeded: source[index]) &- below)
        let step = (Int32(difference) &* Int32(weight) &+ 8192) &>> 14
        destination[index] = Sample(truncatingIfNeeded: below &+ step)
      }
      return
    }
    let (high, low) = (weight >> 7, weight & 127)
    for index in 0..<count {
      let below = Int16(truncatingIfNeeded: destination[index])
      let difference = Int16(truncatingIfNeeded: source[index]) &- below
      let fine = (difference &* low) &>> 7
      let step = (difference &* high &+ fine &+ 64) &>> 7
      destination[index] = Sample(truncatingIfNeeded: below &+ step)
    }
  }

  /// Mixes `count` samples, each with its own weight from `weights`, multiplied by `weight`.
  package static func blend<Sample: PictureSample>(
    _ source: UnsafePointer<Sample>, into destination: UnsafeMutablePointer<Sample>, count: Int,
    weights: UnsafePointer<Int16>, weight: Int16
  ) {
    for index in 0..<count {
      let own = (Int32(weights[index]) &* Int32(weight) &+ 8192) &>> 14
      let below = Int32(destination[index])
      let step = ((Int32(source[index]) &- below) &* own &+ 8192) &>> 14
      destination[index] = Sample(truncatingIfNeeded: below &+ step)
    }
  }

  /// Mixes one sample in plain arithmetic. ``blend(_:into:count:weight:)`` must give the same result.
  package static func reference<Sample: PictureSample>(
    source: Sample, destination: Sample, weight: Int16
  ) -> Sample {
    let weight = Int(weight)
    let sum = Int(source) * weight + Int(destination) * (Int(one) - weight)
    return Sample((sum + Int(one) / 2) / Int(one))
  }
}
