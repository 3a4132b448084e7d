import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct InstructionFindingTests {
  private func lines(_ videoComposition: String, export: String? = nil) -> [String] {
    ProjectText.findings(
      ProjectText.composition(videoComposition: videoComposition, export: export)
    ).map { $0.description.replacing("videoComposition.", with: "") }
  }

  private func instruction(_ start: String, _ duration: String) -> String {
    #"{"timeRange": {"start": \#(start), "duration": \#(duration)}, "layers": []}"#
  }

  @Test(arguments: [
    (
      [("0", "4"), ("5", "5")],
      "instructions[1].timeRange.start: there is a gap over [4, 5) after instructions[0]; start at 4"
    ),
    (
      [("0", "6"), ("5", "5")],
      "instructions[1].timeRange.start: [5, 10) overlaps instructions[0], [0, 6); start at 6"
    ),
    ([("1", "9")], "instructions[0].timeRange.start: no instruction covers [0, 1); start at 0"),
    (
      [("0", "9")],
      "instructions[0].timeRange: no instruction covers [9, 10); extend the last instruction to the end of the composition, 10"
    ),
    (
      [("0", "10"), ("10", "0")],
      "instructions[1].timeRange.duration: 0 is not a valid duration; use a value greater than 0"
    ),
    (
      [],
      "instructions: there are no instructions; cover [0, 10), or remove videoComposition to derive it"
    ),
  ])
  func `instructions that do not cover the composition are rejected`(
    ranges: [(String, String)], line: String
  ) {
    let list = ranges.map(instruction).joined(separator: ", ")
    #expect(lines(ProjectText.videoComposition(instructions: "[\(list)]")) == [line])
  }

  @Test func `instructions may extend beyond both ends`() {
    let list = [instruction("-1", "2"), instruction("1", "20")].joined(separator: ", ")
    #expect(lines(ProjectText.videoComposition(instructions: "[\(list)]")) == [])
  }

  @Test(arguments: [
    (
      "0", "1080",
      "renderSize.width: 0 pixels cannot be rendered; use an even number from 16 to 16384"
    ),
    (
      "1921", "1080",
      "renderSize.width: 1921 is an odd number; use an even number from 16 to 16384"
    ),
    (
      "1920", "100000",
      "renderSize.height: 100000 pixels cannot be rendered; use an even number from 16 to 16384"
    ),
    (
      "-2", "16",
      "renderSize.width: -2 pixels cannot be rendered; use an even number from 16 to 16384"
    ),
    (
      "14", "16",
      "renderSize.width: 14 pixels cannot be rendered; use an even number from 16 to 16384"
    ),
  ])
  func `invalid sizes are rejected`(width: String, height: String, line: String) {
    let size = #"{"width": \#(width), "height": \#(height)}"#
    #expect(lines(ProjectText.videoComposition(renderSize: size)) == [line])
  }

  @Test func `a render size that becomes 0 within the preset is rejected`() {
    let size = #"{"width": 16384, "height": 16}"#
    #expect(
      lines(ProjectText.videoComposition(renderSize: size), export: #"{"preset": "640x480"}"#) == [
        "renderScale: 16384×16 times 0.0390625 is 640×0, which cannot be rendered; keep both sides from 16 to 16384"
      ])
  }

  @Test(arguments: ["0", "\"-1/30\"", "11", "\"1/1001\"", "\"4294967297/8589934595\""])
  func `invalid frame durations are rejected`(duration: String) {
    let lines = lines(ProjectText.videoComposition(frameDuration: duration))
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("frameDuration: ") == true)
  }

  @Test func `more frames than a plan can contain are rejected`() {
    let long = #"{"start": 0, "duration": 400000}"#
    let text = ProjectText.composition(
      source: long, target: long,
      videoComposition: ProjectText.videoComposition(
        instructions: #"[{"timeRange": \#(long), "layers": []}]"#))
    #expect(
      ProjectText.findings(text).map(\.description) == [
        "videoComposition.frameDuration: 400000 s is too long for frames of 1/30 s; render at most 10000000 frames"
      ])
  }

  @Test(arguments: [
    #"{"at": 0, "value": [0.7, 0.7, -0.7, 0.7, 0, 0]}"#, #"{"at": 0, "value": [0, 0, 0, 0, 0, 0]}"#,
    #"{"timeRange": {"start": 0, "duration": 2}, "from": [1, 0, 0, 1, 0, 0], "to": [-1, 0.5, 0, 1, 0, 0]}"#,
  ])
  func `any transform within the limits is accepted`(piece: String) {
    #expect(
      lines(ProjectText.videoComposition(layers: #"[{"track": 1, "transform": [\#(piece)]}]"#))
        == [])
  }

  @Test(arguments: [
    (#"{"track": 2}"#, "track: there is no track 2; video tracks: 1"),
    (#"{"track": 3}"#, "track: track 3 is an audio track; use the id of a video track"),
    (
      #"{"track": 1, "opacity": [{"at": 0, "value": 1.5}]}"#,
      "opacity[0].value: 1.5 is out of range; use a value from 0 to 1"
    ),
    (
      #"{"track": 1, "opacity": [{"at": 0, "value": 1, "easing": "in"}]}"#,
      "opacity[0].easing: \"easing\" is not a known key; known keys: at, value"
    ),
    (
      #"{"track": 1, "opacity": [{"at": 5, "value": 1}, {"at": 4, "value": 0}]}"#,
      "opacity[1].at: 4 is earlier than 5, which precedes it; list steps and ramps in chronological order"
    ),
    (
      #"{"track": 1, "opacity": [{"timeRange": {"start": 0, "duration": 2}, "from": 1, "to": 0}, {"timeRange": {"start": 1, "duration": 2}, "from": 0, "to": 1}]}"#,
      "opacity[1].timeRange.start: 1 is within the ramp over [0, 2); start at 2 or later"
    ),
    (
      #"{"track": 1, "opacity": [{"timeRange": {"start": 2, "duration": -1}, "from": 1, "to": 0}]}"#,
      "opacity[0].timeRange.duration: -1 is not a valid duration; use a value greater than 0"
    ),
    (
      #"{"track": 1, "transform": [{"at": 0, "value": [1, 0, 0, 1, 0]}]}"#,
      "transform[0].value: a list of 5 values is not a transform; use [a, b, c, d, tx, ty]"
    ),
    (
      #"{"track": 1, "transform": [{"at": 0, "value": [1, 0, 0, 1, 1e300, 0]}]}"#,
      "transform[0].value: 1e+300 is out of range; use a number from -1000000 to 1000000"
    ),
    (
      #"{"track": 1, "crop": [{"at": 0, "value": {"x": 0, "y": 0, "width": -1, "height": 1}}]}"#,
      "crop[0].value: -1.0 × 1.0 is not a valid size for a crop; use a width and a height of 0 or more"
    ),
    (
      #"{"track": 1, "blendMode": "screen"}"#,
      "blendMode: \"blendMode\" is not supported yet; remove it"
    ),
  ])
  func `an invalid layer is rejected with one finding`(layer: String, line: String) {
    #expect(
      lines(ProjectText.videoComposition(layers: "[\(layer)]")) == [
        "instructions[0].layers[0].\(line)"
      ])
  }

  @Test(arguments: [
    (#", "renderScale": 0"#, "renderScale: 0.0 is not a valid scale; use a number greater than 0"),
    (
      #", "renderScale": "-1/2""#,
      "renderScale: -0.5 is not a valid scale; use a number greater than 0"
    ),
    (
      #", "renderScale": 0.005"#,
      "renderScale: 1920×1080 times 0.005 is 10×6, which cannot be rendered; keep both sides from 16 to 16384"
    ),
  ])
  func `an invalid render scale is rejected`(extra: String, line: String) {
    #expect(lines(ProjectText.videoComposition(extra: extra)) == [line])
  }

  @Test func `a step and a ramp may start at the same time`() {
    let layer = """
      {"track": 1, "opacity": [{"at": 0, "value": 1}, {"timeRange": {"start": 0, "duration": 2}, "from": 1, "to": 0}, {"at": 2, "value": 1}]}
      """
    #expect(lines(ProjectText.videoComposition(layers: "[\(layer)]")) == [])
  }

  @Test(arguments: ["red", "#fff", "#12345g", "#+12345", "#1234567"])
  func `an invalid color is rejected`(color: String) {
    let instruction =
      #"[{"timeRange": {"start": 0, "duration": 10}, "backgroundColor": "\#(color)", "layers": []}]"#
    #expect(
      lines(ProjectText.videoComposition(instructions: instruction)) == [
        "instructions[0].backgroundColor: \"\(color)\" is not a color; use the form \"#rrggbb\""
      ])
  }
}
