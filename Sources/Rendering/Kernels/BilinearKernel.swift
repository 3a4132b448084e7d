/// Samples rows between pixels.
///
/// Positions have 9 fractional bits. A row is first interpolated across, to 7 fractional bits in 16-bit lanes, then
/// down, so that each product is one 16 × 16 → 32 bit multiplication. Halfway between two samples gives their mean,
/// rounded up, exactly.
package enum BilinearKernel {
  /// The fraction that stands for a whole pixel.
  package static let one = 512

  /// Interpolates `count` samples across: between `source[i]` and `source[i + 1]`, to 7 fractional bits.
  ///
  /// Reads `count + 1` samples.
  package static func across(
    _ source: UnsafePointer<UInt8>, fraction: Int, to row: UnsafeMutablePointer<Int16>, count: Int
  ) {
    let (near, far) = (Int16(one - fraction), Int16(fraction))
    for index in 0..<count {
      let a = Int32(Int16(truncatingIfNeeded: source[index])) &* Int32(near)
      let b = Int32(Int16(truncatingIfNeeded: source[index &+ 1])) &* Int32(far)
      row[index] = Int16(truncatingIfNeeded: (a &+ b &+ 2) &>> 2)
    }
  }

  /// Interpolates `count` samples down, between two rows that ``across(_:fraction:to:count:)`` made.
  package static func down(
    _ upper: UnsafePointer<Int16>, _ lower: UnsafePointer<Int16>, fraction: Int,
    to row: UnsafeMutablePointer<UInt8>, count: Int
  ) {
    let (near, far) = (Int16(one - fraction), Int16(fraction))
    for index in 0..<count {
      let a = Int32(upper[index]) &* Int32(near)
      let b = Int32(lower[index]) &* Int32(far)
      row[index] = UInt8(truncatingIfNeeded: (a &+ b &+ 32_768) &>> 16)
    }
  }

  /// The same for one sample: what the two passes together must equal.
  package static func reference(
    upper: (UInt8, UInt8), lower: (UInt8, UInt8), across x: Int, down y: Int
  ) -> UInt8 {
    func interpolate(_ pair: (UInt8, UInt8)) -> Int {
      (Int(pair.0) * (one - x) + Int(pair.1) * x + 2) / 4
    }
    return UInt8((interpolate(upper) * (one - y) + interpolate(lower) * y + 32_768) / 65_536)
  }
}
