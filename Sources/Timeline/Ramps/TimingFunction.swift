/// The progress of a ramp over its time: 0 at its start, 1 at its end.
///
/// The functions are the curves of Core Animation's `CAMediaTimingFunction`, and two for audio. They are evaluated with
/// additions, multiplications and divisions only, which IEEE 754 defines to the last bit, so that every machine
/// computes the same value.
public enum TimingFunction: Hashable, Sendable {
  /// The progress equals the elapsed fraction of the time.
  case linear
  /// The cubic Bézier curve from (0, 0) to (1, 1) with two control points. x is the time, 0 ... 1, and y the progress.
  /// The curve can overshoot if y is outside 0 ... 1.
  case cubicBezier(x1: Double, y1: Double, x2: Double, y2: Double)
  /// The first quarter wave of a sine. The powers of a rise and a simultaneous ``equalPowerFall`` add up to 1.
  case equalPowerRise
  /// 1 minus the first quarter wave of a cosine.
  case equalPowerFall

  /// Fast at the start and slow at the end: Core Animation's default, with control points (0.25, 0.1) and (0.25, 1).
  public static let `default` = cubicBezier(x1: 0.25, y1: 0.1, x2: 0.25, y2: 1)
  /// Slow at the start: Core Animation's control points (0.42, 0) and (1, 1).
  public static let easeIn = cubicBezier(x1: 0.42, y1: 0, x2: 1, y2: 1)
  /// Slow at the end: Core Animation's control points (0, 0) and (0.58, 1).
  public static let easeOut = cubicBezier(x1: 0, y1: 0, x2: 0.58, y2: 1)
  /// Slow at both ends: Core Animation's control points (0.42, 0) and (0.58, 1).
  public static let easeInEaseOut = cubicBezier(x1: 0.42, y1: 0, x2: 0.58, y2: 1)

  /// The progress after a fraction of the time, 0 ... 1. The result is in 0 ... 1 too unless the curve overshoots.
  public func progress(after time: Double) -> Double {
    guard time > 0, time < 1 else { return time }
    switch self {
    case .linear: return time
    case .cubicBezier(let x1, let y1, let x2, let y2):
      let progress = Self.bezier(y1, y2, at: Self.parameter(ofTime: time, x1: x1, x2: x2))
      let overshoots = !(0...1).contains(y1) || !(0...1).contains(y2)
      return overshoots ? progress : min(max(progress, 0), 1)
    case .equalPowerRise: return min(max(Self.quarterSine(time), 0), 1)
    case .equalPowerFall: return min(max(1 - Self.quarterSine(1 - time), 0), 1)
    }
  }

  /// A coordinate of the curve whose control points have the coordinates `first` and `second`, for a parameter in
  /// 0 ... 1: `3(1 − t)²t·first + 3(1 − t)t²·second + t³`.
  private static func bezier(_ first: Double, _ second: Double, at parameter: Double) -> Double {
    let rest = 1 - parameter
    return ((3 * rest * (rest * first + parameter * second)) + parameter * parameter) * parameter
  }

  /// The parameter at which the curve reaches a time, found by bisection to the last bit. Time increases monotonically
  /// along the curve, because the control points' times are in 0 ... 1.
  private static func parameter(ofTime time: Double, x1: Double, x2: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    while true {
      let middle = (low + high) / 2
      guard low < middle, middle < high else { return middle }
      if bezier(x1, x2, at: middle) < time { low = middle } else { high = middle }
    }
  }

  /// `sin(π/2 · fraction)` for a fraction in 0 ... 1, by its Taylor series up to the 21st power. The error is less than
  /// 10⁻¹⁷.
  private static func quarterSine(_ fraction: Double) -> Double {
    let angle = fraction * (Double.pi / 2)
    let square = angle * angle
    var sum = 1.0
    for power in stride(from: 20.0, through: 2, by: -2) {
      sum = 1 - sum * square / (power * (power + 1))
    }
    return angle * sum
  }
}
