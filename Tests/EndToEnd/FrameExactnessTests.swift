import Foundation
import Support
import Testing
import Timeline

/// The source frame that every frame of a finished file shows, against a brute-force implementation of the rule.
@Suite(.mayBlock) struct FrameExactnessTests {
  static let rates: [(Int64, Int64)] = [
    (24, 1), (25, 1), (30, 1), (60, 1), (24000, 1001), (30000, 1001),
  ]

  /// Sources of a constant rate, of another rate, and of a variable one.
  static func sources(rate: (Int64, Int64)) throws -> [NamedSource] {
    var milliseconds = [0]
    for step in [17, 33, 50, 120, 8, 41, 41, 250, 33, 34] + Array(repeating: 37, count: 50) {
      milliseconds.append(milliseconds[milliseconds.count - 1] + step)
    }
    return [
      try NamedSource(1, frameCount: Int(4 * rate.0 / rate.1), rate: rate),
      try NamedSource(2, frameCount: 75, rate: (25, 1)),
      try NamedSource(3, milliseconds: milliseconds),
    ]
  }

  @Test(arguments: rates)
  func `every frame of a cut shows the source frame that the rule chooses`(
    rate: (Int64, Int64)
  ) throws {
    let folder = try TemporaryDirectory()
    let sources = try Self.sources(rate: rate)
    for source in sources { try source.write(in: folder) }
    // The cuts are off the output's frame grid on both sides.
    let cuts = try [("1/3", "7/3"), ("0.51", "1.7"), ("1/7", "2.01")].map {
      (start: try RationalTime($0.0), duration: try RationalTime($0.1))
    }
    var segments: [String] = []
    var target = RationalTime.zero
    for (source, cut) in zip(sources, cuts) {
      segments.append(
        """
        {"asset": "\(source.clip.source)", "trackIndex": 0,
         "source": {"start": "\(cut.start)", "duration": "\(cut.duration)"},
         "target": {"start": "\(target)", "duration": "\(cut.duration)"}}
        """)
      target = try target + cut.duration
    }
    let file = try Rendered(
      project: """
        {"version": 1, "assets": {\(assets(sources))},
         "composition": {"tracks": [
           {"id": 1, "mediaType": "video", "segments": [\(segments.joined(separator: ","))]}]},
         "videoComposition": {"renderSize": {"width": 320, "height": 180},
           "frameDuration": "\(rate.1)/\(rate.0)",
           "instructions": [{"timeRange": {"start": 0, "duration": "\(target)"},
             "layers": [{"track": 1}]}]},
         "export": {"video": {"codec": "h264", "crf": 20, "encoderPreset": "ultrafast"}}}
        """, in: folder)

    var expected: [FrameName?] = []
    while true {
      let time = try RationalTime(Int64(expected.count) * rate.1, rate.0)
      guard time < target else { break }
      var (index, start) = (0, RationalTime.zero)
      while try start + cuts[index].duration <= time {
        start = try start + cuts[index].duration
        index += 1
      }
      expected.append(sources[index].name(at: try time - start + cuts[index].start))
    }
    expectEqual(try FrameNameReader.names(in: file.path), expected)
  }

  @Test(arguments: rates)
  func `every frame of a transition shows the frames that the rule chooses of both tracks`(
    rate: (Int64, Int64)
  ) throws {
    let folder = try TemporaryDirectory()
    let sources = try Self.sources(rate: rate)
    for source in sources { try source.write(in: folder) }
    // Left: source 1 until 2.2 s. Right: the variable-rate source from 0.9 s on. In between, both are shown.
    let file = try Rendered(
      project: """
        {"version": 1, "assets": {\(assets(sources))},
         "composition": {"tracks": [
           {"id": 1, "mediaType": "video", "segments": [
             {"asset": "1", "trackIndex": 0, "source": {"start": "1/2", "duration": "2.2"},
              "target": {"start": 0, "duration": "2.2"}}]},
           {"id": 2, "mediaType": "video", "segments": [
             {"asset": "3", "trackIndex": 0, "source": {"start": "0.05", "duration": "2.2"},
              "target": {"start": "0.9", "duration": "2.2"}}]}]},
         "videoComposition": {"renderSize": {"width": 640, "height": 180},
           "frameDuration": "\(rate.1)/\(rate.0)",
           "instructions": [
             {"timeRange": {"start": 0, "duration": "0.9"}, "layers": [{"track": 1}]},
             {"timeRange": {"start": "0.9", "duration": "1.3"}, "layers": [
               {"track": 2, "transform": [{"at": 0, "value": [1, 0, 0, 1, 320, 0]}]},
               {"track": 1}]},
             {"timeRange": {"start": "2.2", "duration": "0.9"}, "layers": [
               {"track": 2, "transform": [{"at": 0, "value": [1, 0, 0, 1, 320, 0]}]}]}]},
         "export": {"video": {"codec": "h264", "crf": 20, "encoderPreset": "ultrafast"}}}
        """, in: folder)

    var left: [FrameName?] = []
    var right: [FrameName?] = []
    while true {
      let time = try RationalTime(Int64(left.count) * rate.1, rate.0)
      guard try time < RationalTime("3.1") else { break }
      let showsLeft = try time < RationalTime("2.2")
      let showsRight = try time >= RationalTime("0.9")
      left.append(showsLeft ? sources[0].name(at: try time + RationalTime("1/2")) : nil)
      right.append(
        showsRight
          ? sources[2].name(at: try time - RationalTime("0.9") + RationalTime("0.05")) : nil)
    }
    expectEqual(try FrameNameReader.names(in: file.path, area: (0, 0, 0.5, 1)), left)
    expectEqual(try FrameNameReader.names(in: file.path, area: (0.5, 0, 0.5, 1)), right)
  }

  @Test func `long shots show the right frames at every segment boundary`() throws {
    let folder = try TemporaryDirectory()
    let sources = try [
      NamedSource(4, frameCount: 700, rate: (30, 1)),
      NamedSource(5, frameCount: 500, rate: (25, 1)),
    ]
    for source in sources { try source.write(in: folder) }
    let project = """
      {"version": 1, "sequence": [
        {"clip": "\(sources[0].file)", "in": "1/10"}, {"clip": "\(sources[1].file)"}],
       "export": {"video": {"codec": "h264", "crf": 23, "encoderPreset": "ultrafast"}}}
      """
    let segments = try PrintedPlan.segments(of: project, in: folder)
    #expect(segments.count >= 6, "the timeline is too short to show boundaries: \(segments)")

    let file = try Rendered(project: project, in: folder)
    var expected: [FrameName?] = []
    while true {
      let time = try RationalTime(Int64(expected.count), 30)
      let cut = try RationalTime(697, 30)
      guard try time < cut + RationalTime(20) else { break }
      expected.append(
        time < cut
          ? sources[0].name(at: try time + RationalTime(1, 10))
          : sources[1].name(at: try time - cut))
    }
    expectEqual(try FrameNameReader.names(in: file.path), expected)
  }

  private func assets(_ sources: [NamedSource]) -> String {
    sources.map { "\"\($0.clip.source)\": {\"path\": \"\($0.file)\"}" }.joined(separator: ",")
  }

  private func expectEqual(_ shown: [FrameName?], _ expected: [FrameName?]) {
    #expect(shown.count == expected.count, "frames in the file")
    let wrong = zip(shown, expected).enumerated().filter { $0.element.0 != $0.element.1 }
    let list = wrong.prefix(8).map {
      "frame \($0.offset) shows \($0.element.0?.description ?? "none"),"
        + " not \($0.element.1?.description ?? "none")"
    }
    #expect(wrong.isEmpty, "\(wrong.count) frames: \(list.joined(separator: "; "))")
  }
}
