import Support
import Testing

/// The speed ramp example, with frame-naming clips.
@Suite(.mayBlock) struct SpeedRampExampleTests {
  @Test func `the speed ramp example shows the right frame at each instant`() throws {
    let work = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 300).write(to: work.path("harbor.mp4"))
    try FrameNamingClip(source: 2, frameCount: 300).write(to: work.path("market.mp4"))
    let example = try Example.named("speed-ramp")
    let names = try FrameNameReader.names(in: example.rendered(in: work).path)
    #expect(names.count == 396)
    for (number, name) in names.enumerated() where !(246..<261).contains(number) {
      let name = try #require(name, "frame \(number)")
      let time = Double(number) / 30
      #expect(name.source == (number < 246 ? 1 : 2), "frame \(number)")
      // The second clip starts with the dissolve, at 8.2 s, at double speed.
      let instant = number < 246 ? Self.instant(at: time) : 2 * (time - 8.2)
      // A step of the ramp lasts 1/32 s, so it deviates from the curve by less than a millisecond.
      #expect(
        abs(Double(name.frame) + 0.5 - instant * 30) <= 0.53, "frame \(number) shows \(name)")
    }
  }

  /// The instant of the first clip that shows at a time: the integral of its speed.
  private static func instant(at time: Double) -> Double {
    // From 1 to 1/4 within 1 s of the clip takes 2 / (1 + 1/4) = 1.6 s.
    let change = 0.75 / 1.6
    switch time {
    case ..<2: return time
    case ..<3.6: return 2 + (time - 2) - change * (time - 2) * (time - 2) / 2
    case ..<5.6: return 3 + (time - 3.6) / 4
    case ..<7.2: return 3.5 + (time - 5.6) / 4 + change * (time - 5.6) * (time - 5.6) / 2
    default: return 4.5 + (time - 7.2)
    }
  }
}
