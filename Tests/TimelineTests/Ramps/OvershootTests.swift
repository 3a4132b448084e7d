import Support
import Testing
import Timeline

/// Curves that overshoot.
@Suite(.mayBlock) struct OvershootTests {
  private static let back = TimingFunction.cubicBezier(x1: 0.5, y1: -0.5, x2: 0.5, y2: 1.5)

  @Test func `a curve overshoots according to its control points`() {
    // Symmetric in time: the parameter at a time t solves 3u(1−u)² /2 + 3u²(1−u)/2 + u³ = t.
    for step in 1..<1000 {
      let u = Double(step) / 1000
      let rest = 1 - u
      let time = 1.5 * u * rest * rest + 1.5 * u * u * rest + u * u * u
      let progress = -1.5 * u * rest * rest + 4.5 * u * u * rest + u * u * u
      #expect(abs(Self.back.progress(after: time) - progress) < 1e-12)
    }
    #expect(Self.back.progress(after: 0.1) < 0)
    #expect(Self.back.progress(after: 0.9) > 1)
    #expect((Self.back.progress(after: 0), Self.back.progress(after: 1)) == (0, 1))
  }

  @Test func `a transform and a crop overshoot at both ends`() throws {
    let range = try TimeRange(start: .zero, duration: RationalTime(10))
    let shift = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 100, ty: 0)
    let transform = Ramps([
      .ramp(timeRange: range, from: .identity, to: shift, timingFunction: Self.back)
    ])
    let crop = Ramps([
      .ramp(
        timeRange: range, from: PixelRect(x: 0, y: 0, width: 10, height: 10),
        to: PixelRect(x: 50, y: 0, width: 10, height: 10), timingFunction: Self.back)
    ])
    for second in [Int64(1), 9] {
      let progress = Self.back.progress(after: Double(second) / 10)
      let moved = try #require(transform.value(at: RationalTime(second)))
      #expect(abs(moved.tx - 100 * progress) < 1e-9)
      let window = try #require(crop.value(at: RationalTime(second)))
      #expect(abs(window.x - 50 * progress) < 1e-9)
    }
  }
}
