/// An exact instant or length of time in seconds: a fraction in lowest terms with a positive denominator.
///
/// Arithmetic uses 128 bits and throws ``TimeError`` if the reduced result does not fit in 64 bits. Comparison never
/// overflows.
public struct RationalTime: Hashable, Sendable {
  /// The numerator, in units of `1 / denominator` seconds.
  public let numerator: Int64
  /// The denominator, which is positive and has no common factor with the numerator.
  public let denominator: Int64

  /// Zero seconds.
  public static let zero = RationalTime(0)

  /// A whole number of seconds.
  public init(_ seconds: Int64) {
    numerator = seconds
    denominator = 1
  }

  /// The fraction `numerator / denominator` seconds, reduced.
  ///
  /// - Throws: ``TimeError/zeroDenominator`` or ``TimeError/overflow``.
  public init(_ numerator: Int64, _ denominator: Int64) throws(TimeError) {
    try self.init(reducing: Int128(numerator), Int128(denominator))
  }

  init(reducing numerator: Int128, _ denominator: Int128) throws(TimeError) {
    guard denominator != 0 else { throw .zeroDenominator }
    let divisor = Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
    let sign: Int128 = denominator < 0 ? -1 : 1
    let reduced = (
      sign * numerator / Int128(divisor),
      sign * denominator / Int128(divisor)
    )
    guard let numerator = Int64(exactly: reduced.0), let denominator = Int64(exactly: reduced.1)
    else { throw .overflow }
    self.numerator = numerator
    self.denominator = denominator
  }

  /// `1 / parts` seconds. `parts` is positive.
  static func reciprocal(_ parts: Int64) -> RationalTime {
    (try? RationalTime(1, parts)) ?? .zero
  }

  private static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }

  /// The nearest `Double`, in seconds, for display and for ramp fractions. Never used to select a frame.
  public var seconds: Double { Double(numerator) / Double(denominator) }
}

/// An error in rational time.
public enum TimeError: Error, Hashable, Sendable {
  /// A fraction with a denominator of zero.
  case zeroDenominator
  /// A result whose reduced numerator or denominator does not fit in 64 bits.
  case overflow
  /// A division by a time of zero.
  case divisionByZero
  /// A text that is not a number.
  case notANumber
}
