import CFFmpeg
import Timeline

extension RationalTime {
  /// Converts a libav fraction; `nil` if its denominator is zero.
  init?(_ fraction: AVRational) {
    guard let value = try? RationalTime(Int64(fraction.num), Int64(fraction.den)) else {
      return nil
    }
    self = value
  }

  /// Converts a positive libav fraction; otherwise `nil`, because libav writes 0/1 for "unknown".
  init?(positive fraction: AVRational) {
    guard fraction.num > 0, fraction.den > 0 else { return nil }
    self.init(fraction)
  }

  /// The time as libav's fraction, `nil` if it does not fit in 32 bits.
  var fraction: AVRational? {
    guard let numerator = Int32(exactly: numerator), let denominator = Int32(exactly: denominator)
    else { return nil }
    return AVRational(num: numerator, den: denominator)
  }
}
