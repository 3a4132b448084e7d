import Foundation
import Support
import Testing

/// Copied H.264 whose decoding depends on more than its container declares, checked with other tools.
@Suite(.mayBlock) struct CopiedSetsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func project(_ sequence: String) -> String {
    #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "passthrough"}}"#
  }

  private func render(_ sequence: String, output: String = "out.mp4") throws -> Rendered {
    try Rendered(project: project(sequence), in: folder, output: output)
  }

  /// The number of times that a file names a build of x264.
  private func count(of build: Int, in path: String) throws -> Int {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let name = Data("x264 - core \(build)".utf8)
    var (count, rest) = (0, bytes[...])
    while let found = rest.range(of: name) {
      count += 1
      rest = rest[found.upperBound...]
    }
    return count
  }

  @Test func `a copy of a later part names the old x264 build of its source`() throws {
    try X264Clip(build: 142).write(to: folder.path("old.mp4"))
    try X264Clip(build: nil).write(to: folder.path("unnamed.mp4"))
    let source = try FrameHashes.of(folder.path("old.mp4"))
    try #require(source.count == 18)
    #expect(try FrameHashes.of(folder.path("unnamed.mp4")) != source)
    let file = try render(#"{"clip": "old.mp4", "in": "6/25"}"#)
    #expect(try FrameHashes.of(file.path) == Array(source[6...]))
    #expect(try file.complaints() == "")
    // Each keyframe names it, so that a decoder may start at any.
    #expect(try count(of: 142, in: file.path) == 2)
  }

  @Test(arguments: [[142, 164, nil, 142], [nil, 142, nil], [164, 142, 164]] as [[Int?]])
  func `parts of several x264 builds decode as they do separately`(
    _ builds: [Int?]
  ) throws {
    var (clips, expected) = ([String](), [String]())
    for build in builds {
      let named = build.map { "\($0)" }
      let name = (named ?? "unnamed") + ".mp4"
      try X264Clip(build: build).write(to: folder.path(name))
      clips.append(#"{"clip": "\#(name)", "in": "6/25"}"#)
      expected += try FrameHashes.of(folder.path(name))[6...]
    }
    let file = try render(clips.joined(separator: ", "))
    #expect(try FrameHashes.of(file.path) == expected)
    #expect(try file.complaints() == "")
  }

  /// Writes 24 frames of raw H.264, a keyframe every 8 frames, with units of the given kinds before the first one only.
  private func writeRaw(
    _ source: Int, coding: String, profile: String, removing kinds: Set<UInt8>
  ) throws -> Data {
    let path = folder.path("\(source).h264")
    try FrameNamingClip(
      source: source, frameCount: 24,
      encoding: [
        "-pix_fmt", profile == "high444" ? "rgb24" : "yuv420p", "-c:v",
        profile == "high444" ? "libx264rgb" : "libx264", "-profile:v", profile, "-x264-params",
        "keyint=8:min-keyint=8:scenecut=0:bframes=0:ref=1:\(coding)",
      ]
    ).write(to: path)
    return RawH264.removing(
      kinds, afterFirstPictureOf: try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// Puts a raw stream of 30 frames a second into an MP4 file.
  private func wrap(_ stream: Data, as name: String) throws {
    let raw = folder.path("\(name).h264")
    try stream.write(to: URL(fileURLWithPath: raw))
    try Tool.run(
      "ffmpeg", ["-v", "error", "-y", "-r", "30", "-i", raw, "-c", "copy", folder.path(name)])
  }

  /// Two runs of 24 frames. The second one has other picture parameters, which are only before its first picture.
  private func writeJoined(profile: String) throws {
    let sets: Set = [RawH264.sequenceSet, RawH264.pictureSet]
    let first = try writeRaw(1, coding: "cabac=1:weightp=2", profile: profile, removing: sets)
    let second = try writeRaw(2, coding: "cabac=0:weightp=0", profile: profile, removing: sets)
    try wrap(first + second, as: "joined.mp4")
  }

  private static func names(_ source: Int, _ frames: Range<Int>) -> [FrameName] {
    frames.map { FrameName(source: source, frame: $0) }
  }

  @Test(arguments: [
    ("", 0), (#", "in": "4/15""#, 8), (#", "in": "3/10""#, 9), (#", "in": "16/15""#, 32),
  ])
  func `keyframes that need a parameter set from an earlier packet are encoded, not copied`(
    cut: String, first: Int
  ) throws {
    try writeJoined(profile: "main")
    let file = try render(#"{"clip": "joined.mp4"\#(cut)}"#)
    let expected = Array((Self.names(1, 0..<24) + Self.names(2, 0..<24)).dropFirst(first))
    #expect(try FrameNameReader.names(in: file.path) == expected)
    #expect(try file.complaints() == "")
  }

  @Test(arguments: [(#", "in": "4/15""#, 8), (#", "in": "16/15""#, 32), ("", 0)])
  func `a copy starts at a keyframe that does not name the build of x264`(
    cut: String, first: Int
  ) throws {
    let runs = try [1, 2].map {
      try writeRaw($0, coding: "cabac=1", profile: "main", removing: [])
    }
    // The second run names an old build, but only before its first picture.
    var second = runs[1]
    let name = try #require(second.range(of: Data("x264 - core ".utf8)))
    second.replaceSubrange(name.upperBound..<name.upperBound + 3, with: Data("142".utf8))
    try wrap(runs[0] + second, as: "joined.mp4")
    let file = try render(#"{"clip": "joined.mp4"\#(cut)}"#)
    let source = try FrameHashes.of(folder.path("joined.mp4"))
    try #require(source.count == 48)
    #expect(try FrameHashes.of(file.path) == Array(source[first...]))
    #expect(try file.complaints() == "")
  }

  @Test func `a clip that can be neither copied nor encoded is rejected by name`() throws {
    try writeJoined(profile: "high444")
    try project(#"{"clip": "joined.mp4"}"#)
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["plan", "cut.json"], in: folder.path)
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("parts of \"joined.mp4\" cannot be copied"))
  }

  @Test func `a keyframe without its picture parameter set gets it`() throws {
    try wrap(
      writeRaw(1, coding: "cabac=1:weightp=2", profile: "main", removing: []), as: "a.mp4")
    try wrap(
      writeRaw(
        2, coding: "cabac=0:weightp=0", profile: "main", removing: [RawH264.pictureSet]),
      as: "b.mp4")
    let file = try render(#"{"clip": "a.mp4"}, {"clip": "b.mp4", "in": "4/15"}"#)
    let first = try FrameHashes.of(folder.path("a.mp4"))
    let second = try FrameHashes.of(folder.path("b.mp4"))
    #expect(try FrameHashes.of(file.path) == first + second[8...])
    #expect(try file.complaints() == "")
  }

  @Test func `a file of copied and encoded parts can be copied again`() throws {
    for (source, coding) in [(1, "cabac=1:weightp=2"), (2, "cabac=0:weightp=0")] {
      try wrap(
        writeRaw(source, coding: coding, profile: "main", removing: []), as: "\(source).mp4")
    }
    let once = try render(
      ["1", "2", "1"].map { #"{"clip": "\#($0).mp4"}"# }
        .joined(separator: #", {"transition": "dissolve", "duration": "4/15"}, "#),
      output: "once.mp4")
    let twice = try render(#"{"clip": "once.mp4"}"#, output: "twice.mp4")
    #expect(try FrameHashes.of(twice.path) == FrameHashes.of(once.path))
    #expect(try twice.complaints() == "")
  }
}
