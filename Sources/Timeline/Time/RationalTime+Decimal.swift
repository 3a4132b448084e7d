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
}
