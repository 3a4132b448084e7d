import Foundation
import Support
import Testing

/// The preset `automatic`, which is the default, checked with other tools.
@Suite(.mayBlock) struct AutomaticTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    let h264 = FrameNamingClip.h264 + ["-sc_threshold", "0"]
    for source in 1...2 {
      try FrameNamingClip(source: source, frameCount: 60, encoding: h264)
        .write(to: folder.path("\(source).mp4"))
    }
    try FrameNamingClip(
      source: 3, frameCount: 12, rate: "15", width: 640, height: 360, encoding: h264
    ).write(to: folder.path("3.mp4"))
  }

  /// A clip of another size and rate, then two clips of one format that dissolve. The frames of the first clip are
  /// shown twice each.
  private func project(_ export: String = "") -> String {
    """
    {"version": 1, "sequence": [{"clip": "3.mp4"}, {"clip": "1.mp4", "in": "1/2"},
      {"transition": "dissolve", "duration": "1/2"}, {"clip": "2.mp4"}]\(export)}
    """
  }

  /// The output of `sheaf render --json`.
  private struct Summary: Decodable {
    struct Reason: Decodable {
      let reason: String
      let frameCount: Int
    }

    let frameCount: Int
    let framesCopied: Int
    let framesEncoded: Int
    let encodedBecause: [Reason]
  }

  @Test func `frames of the leading format are copied bit for bit, and the others match them`()
    throws
  {
    try project().write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(
      ["render", "cut.json", "-o", "out.mp4", "--json"], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let file = try Rendered(project: project(), in: folder, workers: 1, output: "one.mp4")
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: folder.path("out.mp4")))
        == Data(contentsOf: URL(fileURLWithPath: file.path)))
    let shown = try FrameHashes.of(file.path)
    let sources = try (1...2).map { try FrameHashes.of(folder.path("\($0).mp4")) }
    try #require(shown.count == 114)
    #expect(Array(shown[33..<51]) == Array(sources[0][24..<42]))
    #expect(Array(shown[78..<114]) == Array(sources[1][24..<60]))
    let names = try FrameNameReader.names(in: file.path)
    #expect(names[..<24] == (0..<24).map { FrameName(source: 3, frame: $0 / 2) }[...])
    #expect(names[24..<54] == (15..<45).map { FrameName(source: 1, frame: $0) }[...])
    #expect(names[69...] == (15..<60).map { FrameName(source: 2, frame: $0) }[...])
    #expect(try file.complaints() == "")
    let size = try FrameNameReader.size(of: file.path)
    #expect(size == (320, 180))

    let summary = try JSONDecoder().decode(Summary.self, from: Data(outcome.standardOutput.utf8))
    #expect(summary.frameCount == 114)
    #expect(summary.framesCopied + summary.framesEncoded == 114)
    #expect(summary.framesCopied >= 54)
    #expect(summary.encodedBecause.reduce(0) { $0 + $1.frameCount } == summary.framesEncoded)
    #expect(
      summary.encodedBecause.contains {
        $0.reason == "the clip has a different size" && $0.frameCount == 24
      })
  }

  @Test func `the plan says which format is continued, and why each part is encoded`() throws {
    try project().write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["plan", "cut.json"], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let lines = outcome.standardOutput.split(separator: "\n")
    #expect(lines.contains(#"format: that of "1.mp4", which fills most of the time"#))
    #expect(lines.contains("frames: 24 encoded because the clip has a different size"))
    #expect(lines.contains { $0.hasSuffix("the clip has no keyframe before 00:00:00.8") })
    #expect(lines.contains { $0.hasSuffix("two or more pictures are blended") })
  }

  @Test func `a file of copied and encoded parts has one complete sample description if asked`()
    throws
  {
    let file = try Rendered(
      project: project(#", "export": {"compatibility": "strict"}"#), in: folder)
    let tag = try file.ffprobe([
      "-select_streams", "v:0", "-show_entries", "stream=codec_tag_string", "-of", "csv=p=0",
    ])
    #expect(tag == "avc1")
    // Without the parameter sets in band, only those of the sample description are left.
    let bare = folder.path("bare.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", file.path, "-map", "0:v", "-c", "copy", "-bsf:v",
        "filter_units=remove_types=7-8", bare,
      ])
    #expect(try FrameHashes.of(bare) == FrameHashes.of(file.path))
    let sources = try FrameHashes.of(folder.path("2.mp4"))
    #expect(try Array(FrameHashes.of(bare)[78..<114]) == Array(sources[24..<60]))
  }

  @Test func `clips whose parameter sets cannot share one sample description are all encoded`()
    throws
  {
    try FrameNamingClip(
      source: 2, frameCount: 60, encoding: FrameNamingClip.h264 + ["-x264-params", "cabac=0"]
    ).write(to: folder.path("2.mp4"))
    let source = try FrameHashes.of(folder.path("2.mp4"))
    let usual = try Rendered(project: project(), in: folder, output: "usual.mp4")
    #expect(try FrameHashes.of(usual.path)[78..<114] == source[24..<60])
    let file = try Rendered(
      project: project(#", "export": {"compatibility": "strict"}"#), in: folder)
    let shown = try FrameHashes.of(file.path)
    #expect(zip(shown[78..<114], source[24..<60]).allSatisfy { $0 != $1 })
    #expect(
      try FrameNameReader.names(in: file.path)[69...]
        == (15..<60).map { FrameName(source: 2, frame: $0) }[...])
  }

  @Test(.needsSharedMedia)
  func `real footage of two cameras is joined in the format of the longer one`() throws {
    let (long, short) = (
      SharedMedia.path("chth_bbb_480p24_aac51_30s.mp4"), SharedMedia.path("mdn_friday_480p30.mp4")
    )
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "\(short)", "out": 2},
          {"transition": "dissolve", "duration": 1}, {"clip": "\(long)"}]}
        """, in: folder)
    let look = try file.ffprobe([
      "-select_streams", "v:0", "-show_entries", "stream=width,height,r_frame_rate", "-of",
      "csv=p=0",
    ])
    #expect(look == "854,480,24/1")
    #expect(try file.complaints() == "")
    let (shown, source) = (try FrameHashes.of(file.path), try FrameHashes.of(long))
    // The long clip begins at 1 s. From its second keyframe on, it is copied.
    try #require(shown.count == 24 + source.count)
    #expect(shown[(24 + 250)...] == source[250...])
  }

  @Test(.needsSharedMedia)
  func `a turned clip is copied as it is stored, and is upright beneath a title`() throws {
    let clip = SharedMedia.path("ax_sample_rot180.mp4")
    func rotation(_ more: String, output: String) throws -> (file: Rendered, rotation: String) {
      let file = try Rendered(
        project: #"{"version": 1, "sequence": [{"clip": "\#(clip)", "out": 2}]\#(more)}"#,
        in: folder, output: output)
      return (
        file,
        try file.ffprobe([
          "-select_streams", "v:0", "-show_entries", "stream_side_data=rotation", "-of", "csv=p=0",
        ])
      )
    }
    let copied = try rotation("", output: "copied.mp4")
    #expect(copied.rotation.contains("180"))
    #expect(
      try FrameHashes.of(copied.file.path).prefix(30) == FrameHashes.of(clip).prefix(30))
    let titled = try rotation(
      #", "titles": [{"title": "lower-third", "text": "Ada", "font": "DejaVu Sans", "at": 0, "duration": 2}]"#,
      output: "titled.mp4")
    #expect(titled.rotation == "")
  }
}
