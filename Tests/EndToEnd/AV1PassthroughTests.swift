import Foundation
import Support
import Testing

/// Copied AV1, in which each keyframe has a sequence header: the file's description of it, and its decoding.
@Suite(.mayBlock) struct AV1PassthroughTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private static let svt = [
    "-c:v", "libsvtav1", "-preset", "12", "-crf", "30", "-g", "12", "-pix_fmt", "yuv420p",
    "-svtav1-params",
  ]
  private static let closed = "lp=1:irefresh-type=2"
  private static let aom = [
    "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "30", "-g", "12", "-keyint_min", "12",
    "-lag-in-frames", "12", "-pix_fmt", "yuv420p",
  ]

  private func write(
    _ source: Int, _ options: [String], named name: String? = nil, frameCount: Int = 60
  ) throws -> String {
    let name = name ?? "\(source).mp4"
    try FrameNamingClip(source: source, frameCount: frameCount, encoding: options)
      .write(to: folder.path(name))
    return name
  }

  private func render(_ sequence: String, fileType: String = "mp4") throws -> Rendered {
    let sound = fileType == "webm" ? #", "audio": {"codec": "opus"}"# : ""
    return try Rendered(
      project:
        #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "passthrough", "fileType": "\#(fileType)"\#(sound)}}"#,
      in: folder, output: "out.\(fileType)")
  }

  /// The record of a file's sample description.
  private func record(_ path: String) throws -> [UInt8] {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-show_data", "-show_entries",
          "stream=extradata", "-of", "csv=p=0", path,
        ]), as: UTF8.self)
    // Lines of an address, eight groups of two bytes, and the bytes as text.
    return text.split(separator: "\n").flatMap { line -> [UInt8] in
      guard let colon = line.firstIndex(of: ":") else { return [] }
      let digits = line[line.index(after: colon)...].prefix(41).filter { $0 != " " }
      return stride(from: 0, to: digits.count - 1, by: 2).compactMap { place in
        UInt8(digits.dropFirst(place).prefix(2), radix: 16)
      }
    }
  }

  private func decodesStrictly(_ path: String) throws {
    let outcome = try Tool.output(
      of: "ffmpeg", ["-v", "error", "-xerror", "-i", path, "-f", "null", "-"])
    #expect(outcome.standardError == "")
  }

  @Test(arguments: ["mp4", "mkv", "webm"])
  func `clips of different encoders dissolve, and each keyframe has its own header`(
    _ fileType: String
  ) throws {
    let a = try write(1, Self.svt + [Self.closed])
    let b = try write(2, Self.aom)
    let file = try render(
      #"{"clip": "\#(a)", "in": "1/2"}, {"transition": "dissolve", "duration": "1/2"}, {"clip": "\#(b)"}"#,
      fileType: fileType)
    let shown = try FrameHashes.of(file.path)
    #expect(shown[9..<30] == (try FrameHashes.of(folder.path(a)))[24..<45])
    #expect(shown[54..<90] == (try FrameHashes.of(folder.path(b)))[24..<60])
    let names = try FrameNameReader.names(in: file.path)
    #expect(names[..<30] == (15..<45).map { FrameName(source: 1, frame: $0) }[...])
    #expect(names[45...] == (15..<60).map { FrameName(source: 2, frame: $0) }[...])
    try decodesStrictly(file.path)
    // The record contains no header if there are several.
    let record = try record(file.path)
    #expect(record.count == 4)
    let levels = try AV1Headers.fields(of: file.path)["seq_level_idx[0]"] ?? []
    #expect(record.first == 0x81 && record[1] & 0x1F == UInt8(levels.max() ?? -1))
    // Each keyframe has a header. The copied keyframes are at 9, 21, 54, 66 and 78.
    let keyframes = try file.videoPackets().enumerated().filter { $0.element.flags.contains("K") }
      .map(\.offset)
    #expect(levels.count == keyframes.count)
    #expect(Set(keyframes).isSuperset(of: [0, 9, 21, 30, 54, 66, 78]))
    if fileType == "mp4" {
      // The AV1 binding requires this box if the description has no header.
      let data = try Data(contentsOf: URL(fileURLWithPath: file.path))
      #expect(data.range(of: Data("colrnclx".utf8)) != nil)
    }
    // The result can itself be copied.
    let again = try Program.sheaf.run(
      [
        "transcode", file.path, "again.mp4", "--preset", "passthrough", "--start", "3/10",
        "--duration", "2",
      ], in: folder.path)
    try #require(again.status == 0, "\(again.standardError)")
    #expect(try FrameHashes.of(folder.path("again.mp4")) == Array(shown[9..<69]))
    try decodesStrictly(folder.path("again.mp4"))
  }

  /// A hash of each packet of the first video stream.
  private func packetHashes(_ path: String) throws -> [Substring] {
    String(
      decoding: try Tool.run(
        "ffmpeg", ["-v", "error", "-i", path, "-map", "0:v:0", "-c", "copy", "-f", "framemd5", "-"]),
      as: UTF8.self
    ).split(separator: "\n").filter { !$0.hasPrefix("#") }.compactMap {
      $0.split(separator: ",").last
    }
  }

  @Test func `a file of one encoder keeps its sample description and every packet`() throws {
    let a = try write(1, Self.aom)
    let file = try render(#"{"clip": "\#(a)"}"#)
    #expect(try record(file.path) == record(folder.path(a)))
    #expect(try record(file.path).count > 4)
    #expect(try packetHashes(file.path) == packetHashes(folder.path(a)))
    try decodesStrictly(file.path)
  }

  @Test func `the sample description has the header that the packets use, not the source's`() throws
  {
    // SVT-AV1 1.4 declares one header, and uses another.
    let a = try write(1, Self.svt + [Self.closed])
    let file = try render(#"{"clip": "\#(a)"}"#)
    let first = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", file.path, "-map", "0:v:0", "-c", "copy", "-frames:v", "1", "-f",
        "data", "-",
      ])
    let header = Data(try record(file.path).dropFirst(4))
    #expect(header.first == 0x0A && first.starts(with: header))
    #expect(try packetHashes(file.path) == packetHashes(folder.path(a)))
  }

  /// The sequence headers in a file's description and packets.
  private func headerCount(_ path: String) throws -> Int {
    try AV1Headers.fields(of: path)["seq_profile"]?.count ?? 0
  }

  @Test func `a keyframe without a header gets the container's header`() throws {
    let a = try write(1, Self.aom)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", folder.path(a), "-c", "copy", "-bsf:v",
        "filter_units=remove_types=1", folder.path("bare.mp4"),
      ])
    #expect(try headerCount(folder.path("bare.mp4")) == 1)
    let file = try render(#"{"clip": "bare.mp4", "in": "2/5"}"#)
    #expect(try headerCount(file.path) == 1 + 4)
    #expect(try FrameHashes.of(file.path) == Array(try FrameHashes.of(folder.path(a))[12...]))
    try decodesStrictly(file.path)
  }

  @Test func `copied and encoded frames both signal high dynamic range`() throws {
    let clip = try write(
      1,
      Self.svt + [
        Self.closed
          + ":mastering-display=G(0.265,0.69)B(0.15,0.06)R(0.68,0.32)WP(0.3127,0.329)L(1000,0.005)"
          + ":content-light=1000,400", "-pix_fmt", "yuv420p10le", "-color_primaries", "bt2020",
        "-color_trc", "smpte2084", "-colorspace", "bt2020nc", "-color_range", "tv",
      ])
    let file = try render(#"{"clip": "\#(clip)", "in": "1/2"}"#)
    #expect(
      try FrameHashes.of(file.path)[9...] == FrameHashes.of(folder.path(clip))[24...])
    func told(_ path: String, at time: String) throws -> String {
      let lines = String(
        decoding: try Tool.run(
          "ffprobe",
          [
            "-v", "error", "-select_streams", "v:0", "-read_intervals", "\(time)%+#1",
            "-show_frames", path,
          ]), as: UTF8.self
      ).split(separator: "\n")
      let keys = ["color_", "pix_fmt", "red_", "green_", "blue_", "white_", "min_", "max_"]
      return lines.filter { line in keys.contains { line.hasPrefix($0) } }.joined(separator: "\n")
    }
    let source = try told(folder.path(clip), at: "0")
    #expect(source.contains("max_content=1000") && source.contains("red_x=44564/65536"))
    // The first frames are encoded. Frames from 9 on, at 3/10 s, are copied.
    #expect(try told(file.path, at: "0") == source)
    #expect(try told(file.path, at: "0.3") == source)
    try decodesStrictly(file.path)
  }

  /// The difference of two files in the mean blue chroma of a frame, away from its edges.
  private func chromaShift(_ path: String, _ frame: Int, from other: String, _ its: Int) throws
    -> Double
  {
    func samples(_ path: String, _ frame: Int) throws -> [Double] {
      let bytes = [UInt8](
        try Tool.run(
          "ffmpeg",
          [
            "-v", "error", "-i", path, "-vf", "select=eq(n\\,\(frame)),extractplanes=u",
            "-frames:v", "1", "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt",
            "gray10le", "-",
          ]))
      try #require(bytes.count == 160 * 90 * 2)
      return stride(from: 0, to: bytes.count, by: 2).map {
        Double(Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
      }
    }
    let (own, others) = (try samples(path, frame), try samples(other, its))
    let inner = 160 * 10..<160 * 80
    return inner.reduce(0) { $0 + own[$1] - others[$1] } / Double(inner.count)
  }

  @Test(arguments: ["left", "topleft"])
  func `copied and encoded frames keep the chroma location`(
    _ place: String
  ) throws {
    // Blue grows by 8 of 1024 per row of chroma, so at the other location it would differ by 2.
    let clip = folder.path("ramp.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=gray:s=320x180:r=30:d=1", "-vf",
        "format=yuv420p10le,geq=lum=512:cb=160+8*Y:cr=512", "-c:v", "libsvtav1", "-preset", "10",
        "-crf", "10", "-g", "12", "-svtav1-params",
        "\(Self.closed):chroma-sample-position=\(place)", clip,
      ])
    let file = try Rendered(
      project:
        #"{"version": 1, "sequence": [{"clip": "ramp.mp4", "in": "1/6"}], "export": {"preset": "passthrough", "video": {"crf": 1}}}"#,
      in: folder)
    let told = try AV1Headers.fields(of: file.path)["chroma_sample_position"] ?? []
    #expect(!told.isEmpty && told.allSatisfy { $0 == (place == "left" ? 1 : 2) })
    let record = try record(file.path)
    try #require(record.count > 2)
    #expect(record[2] & 3 == (place == "left" ? 1 : 2))
    // Frame 5 of the clip is the first frame of the file, and is encoded.
    #expect(abs(try chromaShift(file.path, 0, from: clip, 5)) < 1)
    #expect(try chromaShift(file.path, 10, from: clip, 15) == 0)
    try decodesStrictly(file.path)
  }

  @Test func `groups starting with intra-only frames are encoded at the cut, not broken`() throws {
    let a = try write(1, Self.svt + ["lp=1:irefresh-type=1"])
    let file = try render(#"{"clip": "\#(a)", "out": 1}, {"clip": "\#(a)", "in": "1/2"}"#)
    #expect(
      try FrameNameReader.names(in: file.path)
        == (Array(0..<30) + Array(15..<60)).map { FrameName(source: 1, frame: $0) })
    let (shown, source) = (
      try FrameHashes.of(file.path), try FrameHashes.of(folder.path(a))
    )
    #expect(shown[..<30] == source[..<30])
    try decodesStrictly(file.path)
  }

  @Test func `AV1 in QuickTime is rejected, with the containers that can hold it`() throws {
    let a = try write(1, Self.svt + [Self.closed], frameCount: 6)
    let outcome = try Program.sheaf.run(
      ["transcode", a, "out.mov", "--preset", "passthrough"], in: folder.path)
    #expect(outcome.status != 0)
    #expect(outcome.standardError.contains("choose one of: mp4, mkv, webm"))
  }
}
