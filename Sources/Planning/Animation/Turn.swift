import Timeline

/// Rotations that are computed with basic arithmetic only, so that every host makes the same plan.
enum Turn {
  /// A clockwise rotation about the origin, with y pointing down.
  static func clockwise(degrees: Double) -> AffineTransform {
    var rest = degrees.truncatingRemainder(dividingBy: 360)
    if rest < 0 { rest += 360 }
    guard rest != 0 else { return .identity }
    let quarters = (rest / 90).rounded(.down)
    let angle = (rest - quarters * 90) / 180 * Double.pi
    let (sine, cosine) = (sine(angle), cosine(angle))
    let (b, a) =
      switch Int(quarters) {
      case 1: (cosine, -sine)
      case 2: (-sine, -cosine)
      case 3: (-cosine, sine)
      default: (sine, cosine)
      }
    return AffineTransform(a: a, b: b, c: -b, d: a, tx: 0, ty: 0)
  }

  /// The Taylor series up to the 23rd power, whose error over a quarter turn is below 10⁻¹⁸.
  private static func sine(_ angle: Double) -> Double {
    angle * series(angle * angle, from: 22)
  }

  private static func cosine(_ angle: Double) -> Double {
    guard angle != 0 else { return 1 }
    // The result is never exactly 0, because the caller takes whole quarter turns out first.
    return series(angle * angle, from: 23)
  }

  /// `1 − s/(p(p + 1)) + …`, for the powers `p` down from `first` in steps of two.
  private static func series(_ square: Double, from first: Double) -> Double {
    var sum = 1.0
    var power = first
    while power > 0 {
      sum = 1 - sum * square / (power * (power + 1))
      power -= 2
    }
    return sum
  }
}
