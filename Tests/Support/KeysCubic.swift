/// The Keys cubic with a = −1/2 (1981, equation 4), in floating point.
public enum KeysCubic {
  /// The value between samples, at `u` to the right and `v` down in samples.
  public static func value(
    at u: Double, _ v: Double, of sample: (_ x: Int, _ y: Int) -> Double
  ) -> Double {
    let (left, top) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
    var sum = 0.0
    for y in top - 1...top + 2 {
      for x in left - 1...left + 2 {
        sum += weight(u - Double(x)) * weight(v - Double(y)) * sample(x, y)
      }
    }
    return sum
  }

  private static func weight(_ distance: Double) -> Double {
    let s = abs(distance)
    if s < 1 { return 1.5 * s * s * s - 2.5 * s * s + 1 }
    return s < 2 ? -0.5 * s * s * s + 2.5 * s * s - 4 * s + 2 : 0
  }
}
