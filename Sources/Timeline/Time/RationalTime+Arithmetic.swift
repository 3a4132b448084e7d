extension RationalTime: Comparable {
  /// Compares exactly, by cross-multiplication in 128 bits.
  public static func < (a: RationalTime, b: RationalTime) -> Bool {
    Int128(a.numerator) * Int128(b.denominator) < Int128(b.numerator) * Int128(a.denominator)
  }
}

extension RationalTime {
  /// The exact sum.
  public static func + (a: RationalTime, b: RationalTime) throws(TimeError) -> RationalTime {
    try RationalTime(
      reducing: Int128(a.numerator) * Int128(b.denominator)
        + Int128(b.numerator) * Int128(a.denominator),
      Int128(a.denominator) * Int128(b.denominator))
  }

  /// The exact difference.
  public static func - (a: RationalTime, b: RationalTime) throws(TimeError) -> RationalTime {
    try RationalTime(
      reducing: Int128(a.numerator) * Int128(b.denominator)
        - Int128(b.numerator) * Int128(a.denominator),
      Int128(a.denominator) * Int128(b.denominator))
  }

  /// The exact product.
  public static func * (a: RationalTime, b: RationalTime) throws(TimeError) -> RationalTime {
    try RationalTime(
      reducing: Int128(a.numerator) * Int128(b.numerator),
      Int128(a.denominator) * Int128(b.denominator))
  }

  /// The exact product with a whole number.
  public static func * (a: RationalTime, n: Int64) throws(TimeError) -> RationalTime {
    try RationalTime(reducing: Int128(a.numerator) * Int128(n), Int128(a.denominator))
  }

  /// The exact quotient.
  public static func / (a: RationalTime, b: RationalTime) throws(TimeError) -> RationalTime {
    guard b.numerator != 0 else { throw .divisionByZero }
    return try RationalTime(
      reducing: Int128(a.numerator) * Int128(b.denominator),
      Int128(a.denominator) * Int128(b.numerator))
  }

  /// This time in ticks of `unit`, rounded. Rounded down, it is the index of the frame or sample at this time.
  public func ticks(of unit: RationalTime, rounding: TickRounding = .down) throws(TimeError)
    -> Int64
  {
    guard unit.numerator != 0 else { throw .divisionByZero }
    var numerator = Int128(self.numerator) * Int128(unit.denominator)
    var denominator = Int128(self.denominator) * Int128(unit.numerator)
    if denominator < 0 { (numerator, denominator) = (-numerator, -denominator) }
    var (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    if remainder < 0 { (quotient, remainder) = (quotient - 1, remainder + denominator) }
    let roundsUp =
      switch rounding {
      case .down: false
      case .up: remainder > 0
      case .nearest: remainder >= denominator - remainder
      }
    guard let ticks = Int64(exactly: roundsUp ? quotient + 1 : quotient) else { throw .overflow }
    return ticks
  }
}

/// How a time between two ticks is rounded.
public enum TickRounding: Hashable, Sendable {
  /// Toward negative infinity.
  case down
  /// Toward positive infinity.
  case up
  /// To the nearest tick; halfway goes up.
  case nearest
}
