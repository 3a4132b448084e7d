import Foundation
import Support
import Testing
import Timeline

/// Ramps whose timing function is not linear.
@Suite(.mayBlock) struct TimedRampTests {
  private static let functions: [TimingFunction] = [
    .linear, .easeIn, .easeOut, .easeInEaseOut, .equalPowerRise, .equalPowerFall,
    .cubicBezier(x1: 0.1, y1: 0.25, x2: 0.75, y2: 0.9),
  ]

  private func ramps(_ timing: TimingFunction) throws -> Ramps<Double> {
    Ramps([
      .ramp(
        timeRange: try TimeRange(start: RationalTime(3), duration: RationalTime(2)), from: 0.25,
        to: 0.75, timingFunction: timing),
      .step(at: RationalTime(6), value: 1),
    ])
  }

  @Test(arguments: functions)
  func `a ramp follows its timing function at each frame`(timing: TimingFunction) throws {
    let ramps = try ramps(timing)
    for frame in Int64(0)..<50 {
      let time = try RationalTime(3) + RationalTime(frame, 25)
      #expect(ramps.value(at: time) == 0.25 + 0.5 * timing.progress(after: Double(frame) / 50))
    }
    #expect(ramps.value(at: RationalTime(5)) == 0.75)
  }

  @Test(arguments: functions)
  func `restricted and moved ramps keep their timing functions`(timing: TimingFunction) throws {
    let ramps = try ramps(timing)
    let part = ramps.restricted(from: RationalTime(4), to: try RationalTime(9, 2))
    let moved = try ramps.earlier(by: try RationalTime(7, 3))
    for frame in Int64(0)..<20 {
      let time = try RationalTime(4) + RationalTime(frame, 40)
      #expect(part.value(at: time) == ramps.value(at: time))
      #expect(moved.value(at: try time - RationalTime(7, 3)) == ramps.value(at: time))
    }
  }

  @Test(arguments: functions)
  func `a ramp is decoded as it was encoded`(timing: TimingFunction) throws {
    let ramps = try ramps(timing)
    let data = try JSONEncoder().encode(ramps)
    #expect(try JSONDecoder().decode(Ramps<Double>.self, from: data) == ramps)
  }

  @Test func `the encoding of a linear ramp is unchanged`() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let text = String(decoding: try encoder.encode(try ramps(.linear)), as: UTF8.self)
    #expect(
      text == #"[{"from":0.25,"timeRange":{"duration":2,"start":3},"to":0.75},{"at":6,"value":1}]"#)
  }
}
