import Foundation
import Support
import Testing

/// Copies that begin within an open group of pictures: at a picture that does not reset the decoder, but is rewritten
/// so that it does. Checked with `ffmpeg`.
@Suite(.mayBlock) struct OpenGroupTests {
  /// The encoding of a source with a keyframe every 12 frames.
  struct Coding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    var file = "mp4"

    init(
      _ testDescription: String, x264 params: String, _ more: [String] = [], file: String = "mp4"
    ) {
      self.testDescription = testDescription
      self.file = file
      options =
        ["-c:v", "libx264", "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p"] + more
        + ["-x264-params", "keyint=12:min-keyint=12:scenecut=0:open-gop=1:\(params)"]
    }

    init(_ testDescription: String, x265 params: String, file: String = "mp4") {
      self.testDescription = testDescription
      self.file = file
      options = [
        "-c:v", "libx265", "-preset", "superfast", "-pix_fmt", "yuv420p", "-x265-params",
        "log-level=none:keyint=12:min-keyint=12:scenecut=0:open-gop=1:\(params)",
      ]
    }
  }

  private static let codings = [
    Coding(
      "x264's pyramid of B-frames, with weights", x264: "bframes=3:ref=4:weightp=2:b-pyramid=normal"
    ),
    Coding(
      "H.264 without arithmetic coding, of four slices, in a transport stream",
      x264: "cabac=0:bframes=2:b-pyramid=none:slices=4:direct=temporal", file: "ts"),
    Coding(
      "H.264 as on Blu-ray",
      x264:
        "bluray-compat=1:bframes=3:b-pyramid=strict:ref=3:slices=2:aud=1:nal-hrd=vbr:vbv-maxrate=9000:vbv-bufsize=9000"
    ),
    Coding("x265's defaults", x265: "bframes=4:b-adapt=2"),
    Coding("H.265 in a transport stream", x265: "bframes=3", file: "ts"),
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A file that shows a clip from its 7th frame on, and the hashes of the clip's own frames.
  private func cut(_ coding: Coding) throws -> (file: Rendered, source: [String]) {
    let name = "clip.\(coding.file)"
    try FrameNamingClip(
      source: 1, frameCount: 60, encoding: ["-vf", "noise=alls=8:allf=t"] + coding.options
    ).write(to: folder.path(name))
    let file = try Rendered(
      project:
        #"{"version": 1, "sequence": [{"clip": "\#(name)", "in": "1/5"}], "export": {"preset": "passthrough"}}"#,
      in: folder, workers: 1)
    return (file, try FrameHashes.of(folder.path(name)))
  }

  @Test(arguments: codings)
  func `frames from the first keyframe after a cut on are copied, and decode without a warning`(
    _ coding: Coding
  ) throws {
    let (file, source) = try cut(coding)
    let shown = try FrameHashes.of(file.path)
    // The 6 frames before the clip's 12th are encoded.
    try #require(shown.count == 54 && source.count == 60)
    #expect(Array(shown[6...]) == Array(source[12...]))
    #expect((0..<6).allSatisfy { shown[$0] != source[6 + $0] })
    #expect(
      try FrameNameReader.names(in: file.path) == (6..<60).map { FrameName(source: 1, frame: $0) })
    let said = try Tool.output(
      of: "ffmpeg", ["-nostats", "-v", "warning", "-i", file.path, "-f", "null", "-"]
    ).standardError
    #expect(said == "")
  }

  @Test(arguments: codings[0...2])
  func `frames after missing packets are copied, and decode as in the source`(
    _ coding: Coding
  ) throws {
    let whole = folder.path("whole.\(coding.file)")
    try FrameNamingClip(
      source: 1, frameCount: 96, encoding: ["-vf", "noise=alls=8:allf=t"] + coding.options
    ).write(to: whole)
    let name = "clip.\(coding.file)"
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", whole, "-c", "copy", "-bsf:v", "noise=drop=between(n\\,22\\,26)",
        folder.path(name),
      ])
    let project =
      #"{"version": 1, "sequence": [{"clip": "\#(name)", "in": "28/15"}], "export": {"preset": "passthrough"}}"#
    let file = try Rendered(project: project, in: folder, workers: 1)
    let shown = try FrameHashes.of(file.path)
    try #require(shown.count == 40)
    let source = try FrameHashes.of(folder.path(name))
    #expect(Array(shown[4...]) == Array(source.suffix(36)))
    let said = try Tool.output(
      of: "ffmpeg", ["-nostats", "-v", "warning", "-i", file.path, "-f", "null", "-"]
    ).standardError
    #expect(said == "")
  }

  @Test(arguments: [codings[0], codings[3]])
  func `a seek to any frame near a seam shows the frame that playing shows`(_ coding: Coding) throws
  {
    let file = try cut(coding).file
    let played = try FrameHashes.of(file.path)
    for frame in 1..<12 {
      let text = try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-ss", "\((Double(frame) - 0.5) / 30)", "-i", file.path, "-map", "0:v:0",
          "-frames:v", "1", "-f", "framemd5", "-",
        ])
      let hash = String(decoding: text, as: UTF8.self).split(separator: "\n")
        .last { !$0.hasPrefix("#") }?.split(separator: ",").last.map(String.init)
      #expect(hash == played[frame], "frame \(frame)")
    }
  }
}
