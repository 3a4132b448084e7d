import Media

/// Samples rows between pixels.
///
/// Positions have 9 fractional bits. A row is interpolated first horizontally, to 7 fractional bits for bytes and 5 for
/// 10-bit samples, and then vertically. Halfway between two samples, the result is exactly their mean, rounded up.
///
/// For bytes, all lanes have 16 bits, of which the baseline processor multiplies eight at a time. Differences and
/// fractions are split so that no product exceeds 16 bits. Rounding down twice equals rounding down once, so the
/// smaller products are shifted before they are added.
package enum BilinearKernel {
  /// The fraction that stands for a whole pixel.
  package static let one = 512

  /// Interpolates `count` samples horizontally, between `source[i]` and `source[i + 1]`.
  ///
  /// Reads `count + 1` samples.
  package static func across<Sample: PictureSample>(
    _ source: UnsafePointer<Sample>, fraction: Int, to row: UnsafeMutablePointer<Int16>, count: Int
  ) {
    guard Sample.bitDepth == 8 else {
      let part = Int16(fraction)
      for index in 0..<count {
        let near = Int16(truncatingIfNeeded: source[index])
        let difference = Int16(truncatingIfNeeded: source[index &+ 1]) &- near
        let step = (Int32(difference) &* Int32(part) &+ 8) &>> 4
        row[index] = near &* 32 &+ Int16(truncatingIfNeeded: step)
      }
      return
    }
    let (high, low) = (Int16(fraction >> 2), Int16(fraction & 3))
    for index in 0..<count {
      let near = Int16(truncatingIfNeeded: source[index])
      let difference = Int16(truncatingIfNeeded: source[index &+ 1]) &- near
      let fine = (difference &* low &+ 2) &>> 2
      row[index] = near &* 128 &+ difference &* high &+ fine
    }
  }

  /// Interpolates `count` samples vertically, between two rows that ``across(_:fraction:to:count:)`` made.
  package static func down<Sample: PictureSample>(
    _ upper: UnsafePointer<Int16>, _ lower: UnsafePointer<Int16>, fraction: Int,
    to row: UnsafeMutablePointer<Sample>, count: Int
  ) {
    guard Sample.bitDepth == 8 else {
      let part = Int16(fraction)
      for index in 0..<count {
        let difference = lower[index] &- upper[index]
        let step = Int32(difference) &* Int32(part)
        let sum = Int32(upper[index]) &* 512 &+ step &+ 8192
        row[index] = Sample(truncatingIfNeeded: sum &>> 14)
      }
      return
    }
    let (high, low, all) = (Int16(fraction >> 2), Int16(fraction & 3), UInt16(fraction))
    for index in 0..<count {
      let difference = lower[index] &- upper[index]
      let whole = difference &>> 7
      let rest = UInt16(truncatingIfNeeded: difference & 127) &* all
      let fine = (whole &* low &+ Int16(truncatingIfNeeded: rest &>> 7)) &>> 2
      let sum = upper[index] &+ whole &* high &+ fine &+ 64
      row[index] = Sample(truncatingIfNeeded: sum &>> 7)
    }
  }

  /// Computes one sample in plain arithmetic. The two passes together must give the same result.
  package static func reference<Sample: PictureSample>(
    upper: (Sample, Sample), lower: (Sample, Sample), across x: Int, down y: Int
  ) -> Sample {
    let dropped = Sample.bitDepth == 8 ? 4 : 16
    func interpolate(_ pair: (Sample, Sample)) -> Int {
      (Int(pair.0) * (one - x) + Int(pair.1) * x + dropped / 2) / dropped
    }
    let whole = one * one / dropped
    return Sample((interpolate(upper) * (one - y) + interpolate(lower) * y + whole / 2) / whole)
  }
}
