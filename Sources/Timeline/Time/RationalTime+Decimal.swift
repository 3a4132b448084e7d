extension RationalTime {
  /// The time rounded to thousandths, with three decimals, e.g. `0.680`, for messages about damage.
  package var threeDecimals: String {
    let (parts, whole) = (Int128(numerator.magnitude) * 1000, Int128(denominator))
    let thousandths = (2 * parts + whole) / (2 * whole)
    let digits = String(thousandths % 1000)
    let sign = numerator < 0 && thousandths > 0 ? "-" : ""
    return sign + "\(thousandths / 1000)."
      + String(repeating: "0", count: 3 - digits.count) + digits
  }

  /// A time from 0 on in seconds with at most three decimals, e.g. `4.037`, for messages about lengths. A shorter time
  /// than a millisecond is a fraction.
  ///
  /// - Parameter roundedUp: whether to round up to milliseconds instead of down.
  package func shortDecimal(roundedUp: Bool = false) -> String {
    let (parts, whole) = (Int128(numerator) * 1000, Int128(denominator))
    let thousandths = (parts + (roundedUp ? whole - 1 : 0)) / whole
    guard numerator >= 0, thousandths > 0 || numerator == 0 else { return description }
    var digits = String(thousandths % 1000 + 1000).dropFirst()
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(thousandths / 1000)" + (digits.isEmpty ? "" : ".\(digits)")
  }
}
