/// Powers and exponentials that are computed with additions, multiplications and divisions only. IEEE 754 defines these
/// to the last bit, so every machine gets the same value. Relative errors are below 10⁻¹³ in the range of transfer
/// curves.
package enum Power {
  private static let ln2 = 0.693147180559945309417

  /// `base` to the power of `exponent`; 0 for bases of 0 or less.
  package static func of(_ base: Double, _ exponent: Double) -> Double {
    base > 0 ? exponential(exponent * logarithm(base)) : 0
  }

  /// The natural logarithm of a positive number: `2 atanh((m − 1) / (m + 1))` of the significand, by its power series.
  package static func logarithm(_ number: Double) -> Double {
    var (significand, exponent) = (number.significand, Double(number.exponent))
    if significand > 1.4142135623730951 {
      significand /= 2
      exponent += 1
    }
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for power in stride(from: 27.0, through: 1, by: -2) { sum = sum * square + 1 / power }
    return exponent * ln2 + 2 * ratio * sum
  }

  /// e to the power of a number, by its power series around the nearest integer power of 2.
  package static func exponential(_ number: Double) -> Double {
    guard number > -700 else { return 0 }
    let whole = (min(number, 700) / ln2).rounded()
    let rest = min(number, 700) - whole * ln2
    var sum = 1.0
    for term in stride(from: 20.0, through: 1, by: -1) { sum = 1 + sum * rest / term }
    return Double(sign: .plus, exponent: Int(whole), significand: 1) * sum
  }
}
