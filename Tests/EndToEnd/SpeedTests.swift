import Foundation
import Support
import Testing
import Timeline

/// The source frame that every frame of a finished file shows if clips change their speed, against the rule.
@Suite(.mayBlock) struct SpeedTests {
  static let speeds = ["2", "1/2", "3/7"]

  @Test(arguments: speeds, [(30, 1), (30_000, 1001), (24_000, 1001)] as [(Int64, Int64)])
  func `a clip at another speed shows the last frame at or before each source instant`(
    speed: String, rate: (Int64, Int64)
  ) throws {
    let folder = try TemporaryDirectory()
    let source = try NamedSource(1, frameCount: 90, rate: rate)
    try source.write(in: folder)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [
          {"clip": "\(source.file)", "in": "1/7", "out": "2", "speed": "\(speed)"}],
         "export": {"video": {"codec": "h264", "crf": 20, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    let factor = try RationalTime(speed)
    let length = try RationalTime("13/7") / factor
    var expected: [FrameName?] = []
    while true {
      let time = try RationalTime(Int64(expected.count) * rate.1, rate.0)
      guard time < length else { break }
      expected.append(source.name(at: try RationalTime("1/7") + time * factor))
    }
    let shown = try FrameNameReader.names(in: file.path)
    #expect(shown.count == expected.count)
    let wrong = zip(shown, expected).enumerated().filter { $0.element.0 != $0.element.1 }
    #expect(wrong.isEmpty, "\(wrong.prefix(5))")
  }

  @Test func `a ramp of speed shows each instant's frame, with sound of exactly its length`() throws
  {
    let folder = try TemporaryDirectory()
    try SoundTests.clip(1, seconds: 8, clicks: [], in: folder)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [
          {"clip": "clip-1.mov", "out": 6, "speed": [
            {"duration": 1, "speed": 1}, {"duration": 2, "from": 1, "to": 3},
            {"speed": 3}]}],
         "export": {"video": {"codec": "h264", "crf": 20, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    // 1 s at speed 1, then 2 s of the clip in 1 s as the speed rises from 1 to 3, then 3 s at speed 3.
    let shown = try FrameNameReader.names(in: file.path)
    #expect(shown.count == 90)
    for (number, name) in shown.enumerated() {
      let time = Double(number) / 30
      let passed = time - 1
      let instant =
        time < 1 ? time : time < 2 ? 1 + passed + passed * passed : 3 + 3 * (time - 2)
      let frame = try #require(name).frame
      // A step of the ramp lasts 1/32 s, so it deviates from the curve by less than a millisecond.
      #expect(abs(Double(frame) + 0.5 - instant * 30) <= 0.53, "frame \(number) shows \(frame)")
    }
    let length = try file.ffprobe([
      "-select_streams", "a:0", "-show_entries", "stream=duration_ts", "-of", "csv=p=0",
    ])
    #expect(Int(length) == 3 * 48_000)
  }
}
