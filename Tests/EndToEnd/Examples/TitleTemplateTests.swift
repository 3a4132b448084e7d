import Foundation
import Support
import Testing

/// The title templates, rendered one after the other.
@Suite(.mayBlock) struct TitleTemplateTests {
  private static let templates = [
    "lower-third", "opener", "chapter", "end-card", "credits", "corner-bug",
  ]
  private static let styles = ["minimal", "broadcast", "editorial"]

  @Test func `every title shows over the picture, and leaves it as it was`() throws {
    let work = try TemporaryDirectory()
    try ExampleMedia.write(namedIn: #""harbor.mp4""#, to: work)
    let titles = Self.templates.flatMap { template in
      Self.styles.map { #"{"title": "\#(template)", "style": "\#($0)", "text": "Role: Ada""# }
    }
    let clips = (0..<7).map { _ in #"{"clip": "harbor.mp4", "out": 8}"# }
    let list = titles.enumerated().map { "\($1), \"at\": \(3 * $0 + 1), \"duration\": 2}" }
    let file = try Rendered(
      project: """
        {"version": 1, "renderSize": {"width": 320, "height": 180}, "frameRate": 4,
         "sequence": [\(clips.joined(separator: ", "))], "titles": [\(list.joined(separator: ", "))],
         "export": {"video": {"encoderPreset": "ultrafast", "crf": 4}}}
        """, in: work)
    let frames = try Self.frames(of: file.path, count: 4 * 56)
    let plain = frames[0]
    for (number, title) in titles.enumerated() {
      let start = 4 * (3 * number + 1)
      #expect(Self.changed(frames[start - 1], from: plain) == 0, "before \(title)")
      #expect(Self.changed(frames[start + 4], from: plain) > 40, "\(title)")
      #expect(Self.changed(frames[start + 8], from: plain) == 0, "after \(title)")
    }
  }

  @Test func `a layer that nobody sees is a warning, and the project is valid`() throws {
    let work = try TemporaryDirectory()
    try ExampleMedia.write(namedIn: #""harbor.mp4""#, to: work)
    let project = ##"""
      {"version": 1, "sequence": [{"clip": "harbor.mp4", "out": 2}],
       "titles": [{"title": "lower-third", "text": "Ada", "font": "DejaVu Sans", "at": 2, "duration": 2}],
       "animation": {"layers": [{"type": "solid", "color": "#ffffff", "position": {"x": "120%", "y": 0},
         "bounds": {"x": 0, "y": 0, "width": "10%", "height": "10%"}}]}}
      """##
    try project.write(toFile: work.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: work.path)
    #expect(outcome.status == 0)
    #expect(
      outcome.standardError.contains(
        "sheaf: warning: animation.layers[0]: the layer is never visible: "
          + "it is always outside the frame; move it into the frame, or remove it\n"))
    #expect(
      outcome.standardError.contains("sheaf: warning: titles[0]: the layer is never visible: "))
  }

  /// The luma of all frames.
  private static func frames(of path: String, count: Int) throws -> [[UInt8]] {
    let size = 320 * 180
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg", ["-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-"]))
    try #require(bytes.count == size * count)
    return (0..<count).map { Array(bytes[$0 * size..<($0 + 1) * size]) }
  }

  /// The number of pixels that differ clearly.
  private static func changed(_ frame: [UInt8], from other: [UInt8]) -> Int {
    zip(frame, other).count { abs(Int($0) - Int($1)) > 12 }
  }
}
