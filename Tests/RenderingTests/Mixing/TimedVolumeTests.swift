import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Volume ramps that are not linear.
@Suite(.mayBlock) struct TimedVolumeTests {
  private let folder: TemporaryDirectory
  private let count = 96_000

  init() throws { folder = try TemporaryDirectory() }

  /// The gain of every sample with a ramp over 1/3 s to 1/3 + 7/11 s.
  private func gains(from: Double, to: Double, timing: TimingFunction) throws -> [Float] {
    let path = folder.path("ones.wav")
    try PCM.write([[Float](repeating: 1, count: count)], sampleRate: 48_000, to: path)
    var mix = try TestMix(
      path: path, sampleCount: Int64(count), settings: AudioSettings(channels: 1))
    let range = try TimeRange(start: try RationalTime(1, 3), duration: try RationalTime(7, 11))
    mix.description.inputs[0].volume = Ramps([
      .ramp(timeRange: range, from: from, to: to, timingFunction: timing)
    ])
    return try mix.samples()[0]
  }

  /// The maximum distance from a curve, which is a function of the part of the ramp's time that has passed.
  private func greatestError(
    of samples: [Float], before: Double, after: Double, curve: (Double) -> Double
  ) -> Double {
    samples.enumerated().map { number, sample in
      let passed = (Double(number) / 48_000 - 1.0 / 3) / (7.0 / 11)
      let gain = passed < 0 ? before : passed >= 1 ? after : curve(passed)
      return abs(Double(sample) - gain)
    }.max() ?? 1
  }

  @Test func `an equal-power fade follows its quarter wave to within -90 dB at every sample`()
    throws
  {
    let falling = try gains(from: 0.8, to: 0, timing: .equalPowerFall)
    #expect(
      greatestError(of: falling, before: 1, after: 0) { 0.8 * cos($0 * .pi / 2) } < 3.16e-5)
    let rising = try gains(from: 0, to: 0.8, timing: .equalPowerRise)
    #expect(
      greatestError(of: rising, before: 1, after: 0.8) { 0.8 * sin($0 * .pi / 2) } < 3.16e-5)
  }

  @Test func `an eased fade follows its Bézier curve to within -90 dB at every sample`() throws {
    // The parameter's steps are so small that neighboring points differ by less than the allowed error.
    let steps = 400_000
    func coordinate(_ first: Double, _ second: Double, _ t: Double) -> Double {
      3 * (1 - t) * (1 - t) * t * first + 3 * (1 - t) * t * t * second + t * t * t
    }
    var next = 0
    let samples = try gains(from: 0.125, to: 0.875, timing: .easeInEaseOut)
    let error = greatestError(of: samples, before: 1, after: 0.875) { passed in
      while coordinate(0.42, 0.58, Double(next) / Double(steps)) < passed { next += 1 }
      return 0.125 + 0.75 * coordinate(0, 1, Double(next) / Double(steps))
    }
    #expect(error < 3.16e-5)
  }
}
