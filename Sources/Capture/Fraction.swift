/// A positive fraction, as V4L2 states frame rates and intervals between frames.
public struct Fraction: Hashable, Sendable, CustomStringConvertible {
  /// The numerator, which is not 0.
  public let numerator: UInt32
  /// The denominator, which is not 0.
  public let denominator: UInt32

  /// Creates a fraction in lowest terms; `nil` if one of the numbers is 0.
  public init?(_ numerator: UInt32, _ denominator: UInt32) {
    guard numerator > 0, denominator > 0 else { return nil }
    var (divisor, rest) = (numerator, denominator)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    self.numerator = numerator / divisor
    self.denominator = denominator / divisor
  }

  private init(swapping other: Fraction) {
    numerator = other.denominator
    denominator = other.numerator
  }

  /// 1 divided by the fraction: the frame rate of an interval, and the interval of a frame rate.
  public var reciprocal: Fraction { Fraction(swapping: self) }

  /// The fraction as `numerator/denominator`.
  public var description: String { "\(numerator)/\(denominator)" }
}

extension Fraction: Comparable {
  /// Compares exactly.
  public static func < (left: Fraction, right: Fraction) -> Bool {
    UInt64(left.numerator) * UInt64(right.denominator)
      < UInt64(right.numerator) * UInt64(left.denominator)
  }
}

extension Fraction {
  /// Whether the rate is that of a limit or lower. 30 is not above 30000/1001, because devices round their rates.
  package func isAtMost(_ limit: Fraction) -> Bool {
    let left = UInt128(numerator) * UInt128(limit.denominator)
    let right = UInt128(limit.numerator) * UInt128(denominator)
    return left * 1000 <= right * 1002
  }

  /// The nearest fraction of two large numbers; `nil` if it is too small or too large.
  package init?(reducing numerator: UInt64, by denominator: UInt64) {
    var (divisor, rest) = (numerator, denominator)
    while rest > 0 { (divisor, rest) = (rest, divisor % rest) }
    guard divisor > 0 else { return nil }
    let (high, low) = (numerator / divisor, denominator / divisor)
    let excess = max(0, 33 - max(high, low).leadingZeroBitCount)
    if let exact = UInt32(exactly: high), let below = UInt32(exactly: low) {
      self.init(exact, below)
    } else {
      self.init(
        UInt32(truncatingIfNeeded: high >> excess), UInt32(truncatingIfNeeded: low >> excess))
    }
  }
}

extension Fraction {
  /// A whole number, which is not 0.
  package init(_ number: UInt32) {
    numerator = max(1, number)
    denominator = 1
  }
}
