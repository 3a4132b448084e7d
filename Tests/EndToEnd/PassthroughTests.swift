import Foundation
import Support
import Testing
import Timeline

/// The preset `passthrough`, checked with other tools: copied frames decode to the source's own pictures.
@Suite(.mayBlock) struct PassthroughTests {
  /// The encoding of the sources, with a keyframe every 12 frames.
  struct Coding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let options: [String]
    var file = "mp4"
    var output = "mp4"
  }

  private static let codings = [
    Coding(
      testDescription: "H.264 with B-frames",
      options: FrameNamingClip.h264 + ["-sc_threshold", "0"]),
    Coding(
      testDescription: "H.264 without B-frames",
      options: [
        "-c:v", "libx264", "-profile:v", "baseline", "-g", "12", "-sc_threshold", "0", "-pix_fmt",
        "yuv420p",
      ], output: "mov"),
    Coding(
      testDescription: "H.264 of 10 bits into Matroska",
      options: FrameNamingClip.h264.dropLast() + ["yuv420p10le", "-sc_threshold", "0"],
      output: "mkv"),
    Coding(
      testDescription: "H.264 of full range",
      options: FrameNamingClip.h264.dropLast() + ["yuvj420p", "-sc_threshold", "0"]),
    Coding(
      testDescription: "H.264 in a transport stream",
      options: FrameNamingClip.h264 + ["-sc_threshold", "0"], file: "ts"),
    Coding(
      testDescription: "H.265",
      options: [
        "-c:v", "libx265", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-x265-params",
        "log-level=none:keyint=12:min-keyint=12:scenecut=0:open-gop=0:bframes=3",
      ]),
    Coding(
      testDescription: "AV1 of SVT",
      options: [
        "-c:v", "libsvtav1", "-preset", "10", "-crf", "30", "-g", "12", "-pix_fmt", "yuv420p",
        "-svtav1-params", "lp=1:irefresh-type=2",
      ]),
    Coding(
      testDescription: "AV1 of libaom, from Matroska into WebM",
      options: [
        "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "30", "-g", "12", "-keyint_min", "12",
        "-lag-in-frames", "12", "-pix_fmt", "yuv420p",
      ], file: "mkv", output: "webm"),
    Coding(
      testDescription: "AV1 of 10 bits from WebM into Matroska",
      options: [
        "-c:v", "libsvtav1", "-preset", "10", "-crf", "30", "-g", "12", "-pix_fmt", "yuv420p10le",
        "-svtav1-params", "lp=1:irefresh-type=2:film-grain=20",
      ], file: "webm", output: "mkv"),
    Coding(
      testDescription: "VP9",
      options: [
        "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "12", "-pix_fmt",
        "yuv420p",
      ]),
    Coding(
      testDescription: "ProRes",
      options: ["-c:v", "prores_ks", "-profile:v", "2", "-pix_fmt", "yuv422p10le"], file: "mov",
      output: "mov"),
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func write(_ source: Int, _ coding: Coding, frameCount: Int = 60) throws -> String {
    let name = "\(source).\(coding.file)"
    try FrameNamingClip(source: source, frameCount: frameCount, encoding: coding.options)
      .write(to: folder.path(name))
    return name
  }

  private func render(
    _ sequence: String, fileType: String = "mp4", workers: Int = 2, more: String = "",
    output: String = "out"
  ) throws -> Rendered {
    let sound = fileType == "webm" ? #", "audio": {"codec": "opus"}"# : ""
    return try Rendered(
      project:
        #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "passthrough", "fileType": "\#(fileType)"\#(sound)}\#(more)}"#,
      in: folder, workers: workers, output: "\(output).\(fileType)")
  }

  /// Fails if decoding times do not increase, or a decoder reports an error.
  private func check(_ file: Rendered) throws {
    #expect(try file.complaints() == "")
    // Matroska has no decoding times.
    guard file.path.hasSuffix(".mp4") || file.path.hasSuffix(".mov") else { return }
    let packets = try file.videoPackets()
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $0.dts < $1.dts })
    #expect(packets.allSatisfy { $0.dts <= $0.pts })
  }

  @Test(arguments: codings)
  func `copied frames are bit-exact, and all others are in the right place`(
    _ coding: Coding
  ) throws {
    let (a, b) = (try write(1, coding), try write(2, coding))
    // The frames of a from 15 on. The last 15 of its 60 frames are beneath the first 15 of b.
    let file = try render(
      #"{"clip": "\#(a)", "in": "1/2"}, {"transition": "dissolve", "duration": "1/2"}, {"clip": "\#(b)"}"#,
      fileType: coding.output)
    let shown = try FrameHashes.of(file.path)
    let (first, second) = (try FrameHashes.of(folder.path(a)), try FrameHashes.of(folder.path(b)))
    try #require(shown.count == 90)
    #expect(Array(shown[9..<27]) == Array(first[24..<42]))
    #expect(Array(shown[54..<90]) == Array(second[24..<60]))
    let names = try FrameNameReader.names(in: file.path)
    #expect(names[..<30] == (15..<45).map { FrameName(source: 1, frame: $0) }[...])
    #expect(names[45...] == (15..<60).map { FrameName(source: 2, frame: $0) }[...])
    try check(file)
    if coding.file != "ts" {
      let codec = try file.ffprobe([
        "-select_streams", "v:0", "-show_entries", "stream=codec_name,pix_fmt", "-of", "csv=p=0",
      ])
      let own = String(
        decoding: try Tool.run(
          "ffprobe",
          [
            "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name,pix_fmt",
            "-of", "csv=p=0", folder.path(a),
          ]), as: UTF8.self
      ).trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(codec == own)
    }
  }

  @Test(
    arguments: codings.filter {
      ["H.264 with B-frames", "AV1 of SVT"].contains($0.testDescription)
    })
  func `the file does not depend on the number of workers`(_ coding: Coding) throws {
    let (a, b) = (try write(1, coding), try write(2, coding))
    let sequence =
      #"{"clip": "\#(a)", "in": "1/2"}, {"transition": "push", "duration": "1/3"}, {"clip": "\#(b)"}"#
    let alone = try render(sequence, workers: 1, output: "one")
    let many = try render(sequence, workers: 3, output: "three")
    #expect(try alone.digest == many.digest)
  }

  @Test func `open groups of pictures are encoded at the cut, not broken`() throws {
    let open = Coding(
      testDescription: "open",
      options: FrameNamingClip.h264 + [
        "-sc_threshold", "0", "-x264-params", "open-gop=1:bframes=3:b-adapt=0",
      ])
    let (a, b) = (try write(1, open), try write(2, open))
    let file = try render(#"{"clip": "\#(a)", "out": "3/2"}, {"clip": "\#(b)", "in": "1/2"}"#)
    let names = try FrameNameReader.names(in: file.path)
    #expect(
      names == (0..<45).map { FrameName(source: 1, frame: $0) }
        + (15..<60).map { FrameName(source: 2, frame: $0) })
    let (shown, first) = (try FrameHashes.of(file.path), try FrameHashes.of(folder.path(a)))
    #expect(Array(shown[..<36]) == Array(first[..<36]))
    try check(file)
  }

  @Test func `clips of different encoders join in one file`() throws {
    let (a, b, c) = (
      try write(1, Self.codings[0]), try write(2, Self.codings[1]), try write(3, Self.codings[0])
    )
    let file = try render(
      #"{"clip": "\#(a)", "out": 1}, {"clip": "\#(b)", "in": "1/2"}, {"clip": "\#(c)"}"#)
    #expect(
      try FrameNameReader.names(in: file.path) == (0..<30).map { FrameName(source: 1, frame: $0) }
        + (15..<60).map { FrameName(source: 2, frame: $0) }
        + (0..<60).map { FrameName(source: 3, frame: $0) })
    try check(file)
    // Different parameter sets have equal ids, so those in band are decisive.
    let tag = try file.ffprobe([
      "-select_streams", "v:0", "-show_entries", "stream=codec_tag_string", "-of", "csv=p=0",
    ])
    #expect(tag == "avc3")
  }

  @Test func `frames beneath a layer are encoded, and the others are copied`() throws {
    let a = try write(1, Self.codings[0])
    let layer =
      ##", "animation": {"layers": [{"type": "solid", "color": "#ff0000", "bounds": {"x": 0, "y": 0, "width": 16, "height": 16}, "timeRange": {"start": 1, "duration": "1/5"}}]}"##
    let file = try render(#"{"clip": "\#(a)"}"#, more: layer)
    let (shown, source) = (try FrameHashes.of(file.path), try FrameHashes.of(folder.path(a)))
    #expect(shown[..<24] == source[..<24])
    #expect(shown[48...] == source[48...])
    #expect((30..<36).allSatisfy { shown[$0] != source[$0] })
    try check(file)
  }

  @Test func `a part of a file is copied into another container`() throws {
    let a = try write(1, Self.codings[0])
    let outcome = try Program.sheaf.run(
      [
        "transcode", a, "part.mov", "--preset", "passthrough", "--start", "2/5", "--duration", "1",
      ], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let (shown, source) = (
      try FrameHashes.of(folder.path("part.mov")), try FrameHashes.of(folder.path(a))
    )
    #expect(Array(shown[..<29]) == Array(source[12..<41]))
    #expect(shown.count == 30)
  }

  @Test func `rotation and pixel aspect ratio are preserved`() throws {
    let a = try write(1, Self.codings[0])
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path(a), "-c", "copy", "-metadata:s:v", "rotate=90",
        "-aspect", "32:9", folder.path("turned.mp4"),
      ])
    let outcome = try Program.sheaf.run(
      ["transcode", "turned.mp4", "turned.mov", "--preset", "passthrough"], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    func look(_ name: String) throws -> String {
      String(
        decoding: try Tool.run(
          "ffprobe",
          [
            "-v", "error", "-select_streams", "v:0", "-show_entries",
            "stream=width,height,sample_aspect_ratio:stream_side_data=rotation", "-of", "compact",
            folder.path(name),
          ]), as: UTF8.self)
    }
    #expect(try look("turned.mov") == look("turned.mp4"))
    #expect(try look("turned.mov").contains("rotation=90"))
  }

  private struct Index: Decodable {
    struct Rectangle: Decodable, Equatable { var x, y, width, height: Double }
    struct Orientation: Decodable, Equatable { var quarterTurns: Int }
    struct Stream: Decodable, Equatable {
      var cleanAperture: Rectangle
      var orientation: Orientation
      var pixelAspectRatio: String
    }
    var video: [Stream]
  }

  private func stream(_ name: String) throws -> Index.Stream {
    let outcome = try Program.sheaf.run(["probe", "--json", name], in: folder.path)
    let index = try JSONDecoder().decode(Index.self, from: Data(outcome.standardOutput.utf8))
    return try #require(index.video.first)
  }

  @Test(arguments: [true, false])
  func `a clean aperture is preserved, with the index at the front or at the end`(
    _ isInFront: Bool
  ) throws {
    try TurnedClip(
      width: 64, height: 48, matrix: (0, 1, -1, 0), pixelAspectRatio: "4/3", aperture: (60, 44)
    ).write((0..<64 * 48).map { UInt8(16 + $0 % 200) }, to: folder.path("clean.mp4"))
    let file = try Rendered(
      project:
        #"{"version": 1, "sequence": [{"clip": "clean.mp4"}], "export": {"preset": "passthrough", "optimizeForNetworkUse": \#(isInFront)}}"#,
      in: folder)
    #expect(try stream("out.mp4") == stream("clean.mp4"))
    #expect(
      try stream("out.mp4").cleanAperture == .init(x: 2, y: 2, width: 60, height: 44))
    #expect(try FrameHashes.of(file.path) == FrameHashes.of(folder.path("clean.mp4")))
    #expect(try file.complaints() == "")
  }

  @Test func `sources that cannot share one file are rejected with the right exit code`() throws {
    let a = try write(1, Self.codings[0])
    try FrameNamingClip(source: 2, frameCount: 12, width: 640, height: 360)
      .write(to: folder.path("large.mp4"))
    let text =
      #"{"version": 1, "sequence": [{"clip": "\#(a)"}, {"clip": "large.mp4"}], "export": {"preset": "passthrough"}}"#
    try text.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try Program.sheaf.run(["validate", "cut.json"], in: folder.path)
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("\"large.mp4\" (h264, 640×360, yuv420p)"))
  }
}
