import Foundation
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct TimingFunctionTests {
  private static let curves: [(Double, Double, Double, Double)] = [
    (0.42, 0, 1, 1), (0, 0, 0.58, 1), (0.42, 0, 0.58, 1), (0.25, 0.1, 0.25, 1), (0, 0, 1, 1),
    (1, 0, 0, 1), (0, 1, 1, 0), (1, 1, 1, 1), (0, 0, 0, 0), (0.9, 0.3, 0.05, 0.8),
  ]

  /// A coordinate of a curve by its parameter, from the expanded polynomial.
  private func coordinate(_ first: Double, _ second: Double, _ t: Double) -> Double {
    let (c, b) = (3 * first, 3 * (second - first) - 3 * first)
    return (((1 - c - b) * t + b) * t + c) * t
  }

  @Test(arguments: curves)
  func `computed points lie on the Bézier curve`(x1: Double, y1: Double, x2: Double, y2: Double) {
    let function = TimingFunction.cubicBezier(x1: x1, y1: y1, x2: x2, y2: y2)
    var greatest = 0.0
    // Where a curve is vertical, the last bit of the time changes more than the last bit of the progress.
    for step in Array(50...480) + Array(520...950) {
      let t = Double(step) / 1000
      let progress = function.progress(after: coordinate(x1, x2, t))
      greatest = max(greatest, abs(progress - coordinate(y1, y2, t)))
    }
    #expect(greatest < 1e-12)
  }

  @Test(arguments: curves)
  func `a Bézier curve starts at 0, ends at 1 and stays between them`(
    x1: Double, y1: Double, x2: Double, y2: Double
  ) {
    let function = TimingFunction.cubicBezier(x1: x1, y1: y1, x2: x2, y2: y2)
    #expect(function.progress(after: 0) == 0)
    #expect(function.progress(after: 1) == 1)
    for step in 0...1000 {
      #expect((0...1).contains(function.progress(after: Double(step) / 1000)))
    }
  }

  /// The values at half time from a table of the CSS easings with the same control points.
  @Test(
    arguments: [
      (.linear, 0.5), (.easeIn, 0.315_357), (.easeOut, 0.684_643), (.easeInEaseOut, 0.5),
    ] as [(TimingFunction, Double)])
  func `named curves have known values at their middle`(function: TimingFunction, middle: Double) {
    #expect(abs(function.progress(after: 0.5) - middle) < 1e-6)
  }

  @Test func `the equal-power curves are quarter waves`() {
    var greatest = 0.0
    for step in 0...10_000 {
      let time = Double(step) / 10_000
      let rise = TimingFunction.equalPowerRise.progress(after: time)
      let fall = 1 - TimingFunction.equalPowerFall.progress(after: time)
      greatest = max(
        greatest, abs(rise - sin(time * .pi / 2)), abs(fall - cos(time * .pi / 2)),
        abs(rise * rise + fall * fall - 1))
    }
    #expect(greatest < 1e-15)
    #expect(TimingFunction.equalPowerRise.progress(after: 0) == 0)
    #expect(TimingFunction.equalPowerRise.progress(after: 1) == 1)
    #expect(TimingFunction.equalPowerFall.progress(after: 1) == 1)
    #expect(TimingFunction.equalPowerFall.progress(after: 0) == 0)
  }
}
