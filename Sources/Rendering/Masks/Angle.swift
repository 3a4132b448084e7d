/// Angles that are computed with additions, multiplications, divisions and square roots only. IEEE 754 defines these to
/// the last bit, so every machine gets the same results.
enum Angle {
  /// The clockwise angle from straight up to a direction, in turns: 0 ..< 1; 0 for no direction.
  static func turns(right: Double, up: Double) -> Double {
    let (across, along) = (abs(right), abs(up))
    guard across > 0 || along > 0 else { return 0 }
    // The part of an eighth of a turn from the nearer axis.
    let acute = arctangent(min(across, along) / max(across, along)) / (2 * Double.pi)
    let quarter = across <= along ? acute : 0.25 - acute
    let turns =
      switch (right >= 0, up >= 0) {
      case (true, true): quarter
      case (true, false): 0.5 - quarter
      case (false, false): 0.5 + quarter
      case (false, true): 1 - quarter
      }
    return turns < 1 ? turns : 0
  }

  /// The arc tangent of a number in 0 ... 1. Applies `arctan x = 2 arctan(x / (1 + √(1 + x²)))` twice, and then the
  /// Taylor series up to the 21st power, whose error is less than 10⁻¹⁷ there.
  private static func arctangent(_ number: Double) -> Double {
    func halved(_ x: Double) -> Double { x / (1 + (1 + x * x).squareRoot()) }
    let small = halved(halved(number))
    let square = small * small
    var sum = 1.0 / 21
    for power in stride(from: 19.0, through: 1, by: -2) { sum = 1 / power - square * sum }
    return 4 * small * sum
  }
}
