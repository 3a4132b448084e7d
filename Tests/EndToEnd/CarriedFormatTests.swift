import Foundation
import Support
import Testing

/// The format of parts that are encoded beside copied ones, checked with `ffmpeg` and `ffprobe`.
@Suite(.mayBlock) struct CarriedFormatTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Writes a clip of 36 moving frames with a keyframe every 12 frames.
  private func write(_ name: String, filter: String = "null", _ encoding: [String]) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=50", "-vf", filter,
        "-frames:v", "36",
      ] + encoding + ["-bitexact", folder.path(name)])
  }

  private func render(_ sequence: String, preset: String = "passthrough") throws -> Rendered {
    try Rendered(
      project:
        #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "\#(preset)"}}"#,
      in: folder, workers: 1)
  }

  /// The PSNR in dB of each frame of a file against frames of a source from one on; infinite if they are equal.
  private func quality(_ file: Rendered, of source: String, from first: Int) throws -> [Double] {
    let log = folder.path("psnr.log")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", file.path, "-i", folder.path(source), "-lavfi",
        "[0:v]setpts=N/25/TB[a];[1:v]trim=start_frame=\(first),setpts=N/25/TB[b];[a][b]psnr=stats_file=\(log)",
        "-f", "null", "-",
      ])
    return try String(contentsOfFile: log, encoding: .utf8).matches(of: /psnr_avg:([0-9.inf]+)/)
      .compactMap { Double($0.1) }
  }

  @Test(
    arguments: [
      ("libx264", "yuv422p10le", "High 4:2:2"), ("libx264", "yuv444p", "High 4:4:4 Predictive"),
      ("libx265", "yuv422p10le", "Rext"),
    ])
  func `encoded parts keep the source's chroma`(
    encoder: String, format: String, profile: String
  ) throws {
    let gop = "keyint=12:min-keyint=12:scenecut=0"
    try write(
      "clip.mp4",
      [
        "-c:v", encoder, "-preset", "ultrafast", "-crf", "16", "-pix_fmt", format,
        encoder == "libx264" ? "-x264-params" : "-x265-params",
        encoder == "libx264" ? gop : gop + ":log-level=none",
      ])
    let file = try render(#"{"clip": "clip.mp4", "in": "3/25"}"#)
    #expect(
      try file.ffprobe(["-show_entries", "stream=profile,pix_fmt", "-of", "csv=p=0"])
        == "\(profile),\(format)")
    let quality = try quality(file, of: "clip.mp4", from: 6)
    try #require(quality.count == 30)
    // Chroma that had been reduced to 4:2:0 would lose its sharp edges: these frames would have 32 dB.
    #expect(quality[..<6].allSatisfy { $0 >= 42 && $0.isFinite })
    #expect(quality[6...].allSatisfy { $0 == .infinity })
    #expect(try file.complaints() == "")
  }

  /// Colors that a stream states, as `ffprobe` lists them for each frame: range, matrix, primaries, transfer.
  private static let statedColors: [(encoder: String, options: [String], stated: String)] = [
    ("libx264", [], "unknown,unknown,unknown,unknown"),
    ("libx265", [], "tv,unknown,unknown,unknown"),
    ("libsvtav1", [], "tv,unknown,unknown,unknown"),
    ("libx264", ["-colorspace", "bt709"], "tv,bt709,unknown,unknown"),
    (
      "libx264",
      [
        "-color_range", "tv", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc",
        "smpte170m",
      ], "tv,bt709,bt709,smpte170m"
    ),
  ]

  @Test(arguments: statedColors)
  func `encoded parts state the colors that copied ones state`(
    encoder: String, options: [String], stated: String
  ) throws {
    let gop =
      switch encoder {
      case "libx264": ["-x264-params", "keyint=12:min-keyint=12:scenecut=0"]
      case "libx265": ["-x265-params", "keyint=12:min-keyint=12:scenecut=0:log-level=none"]
      default: ["-g", "12"]
      }
    // Some players assume other colors than Sheaf if a picture of this height states none.
    try write("clip.mp4", filter: "scale=960:720", ["-c:v", encoder, "-crf", "30"] + gop + options)
    let file = try render(#"{"clip": "clip.mp4", "in": "3/25"}"#)
    let frames = try file.ffprobe([
      "-select_streams", "v", "-show_entries",
      "frame=color_range,color_space,color_primaries,color_transfer", "-of", "csv=p=0",
    ]).split(separator: "\n")
    #expect(frames.count == 30)
    #expect(
      Set(frames.map { $0.split(separator: ",").prefix(4).joined(separator: ",") }) == [stated])
    #expect(
      try file.ffprobe([
        "-select_streams", "v", "-show_entries",
        "stream=color_range,color_space,color_primaries,color_transfer", "-of", "csv=p=0",
      ]).split(separator: ",").sorted() == stated.split(separator: ",").sorted())
  }

  private static func interlaced(_ scan: String, cabac: Int = 1) -> [String] {
    [
      "-c:v", "libx264", "-preset", "ultrafast", "-crf", "14", "-pix_fmt", "yuv420p", "-flags",
      "+ildct+ilme", "-x264-params",
      "\(scan)=1:cabac=\(cabac):open-gop=1:keyint=12:min-keyint=12:scenecut=0:bframes=2",
    ]
  }

  @Test(arguments: [("tff", "tt", 1), ("bff", "bb", 0)])
  func `parts of interlaced footage are encoded as interlaced, without mixing its fields`(
    scan: String, order: String, cabac: Int
  ) throws {
    try write("clip.mp4", filter: "interlace=scan=\(scan)", Self.interlaced(scan, cabac: cabac))
    for preset in ["passthrough", "automatic"] {
      let file = try render(#"{"clip": "clip.mp4", "in": "6/25"}"#, preset: preset)
      try check(file, from: 6, in: order)
    }
  }

  /// Checks a file of the clip from a frame on, of which the first six frames are encoded.
  private func check(_ file: Rendered, from first: Int, in order: String) throws {
    let frames = try file.ffprobe([
      "-show_entries", "frame=interlaced_frame,top_field_first", "-of", "csv=p=0",
    ]).split(separator: "\n").map { $0.prefix(3) }
    #expect(Set(frames) == ["1,\(order == "tt" ? 1 : 0)"])
    #expect(
      try file.ffprobe(["-show_entries", "stream=field_order", "-of", "csv=p=0"]) == order)
    let quality = try quality(file, of: "clip.mp4", from: first)
    try #require(quality.count == 36 - first)
    #expect(quality[..<6].allSatisfy { $0 >= 42 && $0.isFinite })
    #expect(quality[6...].allSatisfy { $0 == .infinity })
    #expect(try file.complaints() == "")
  }

  @Test func `a progressive clip is encoded as interlaced beside more interlaced footage`() throws {
    try write("clip.mp4", filter: "interlace=scan=tff", Self.interlaced("tff"))
    try write(
      "whole.mp4", ["-c:v", "libx264", "-preset", "ultrafast", "-crf", "14", "-r", "25"])
    let file = try render(
      #"{"clip": "clip.mp4"}, {"clip": "whole.mp4", "out": "12/25"}"#, preset: "automatic")
    let frames = try file.ffprobe([
      "-show_entries", "frame=interlaced_frame,top_field_first", "-of", "csv=p=0",
    ]).split(separator: "\n").map { $0.prefix(3) }
    #expect(frames.count == 48)
    #expect(Set(frames) == ["1,1"])
    let source = try FrameHashes.of(folder.path("clip.mp4"))
    #expect(try Array(FrameHashes.of(file.path).prefix(36)) == source)
    #expect(try file.complaints() == "")
  }

  @Test func `interlaced footage is de-interlaced where it is slowed down`() throws {
    try write("clip.mp4", filter: "interlace=scan=tff", Self.interlaced("tff"))
    let sequence = #"{"clip": "clip.mp4"}, {"clip": "clip.mp4", "speed": "1/2"}"#
    let file = try render(sequence, preset: "automatic")
    // All of it is de-interlaced.
    let usual = try Rendered(
      project:
        #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "highestQuality"}}"#,
      in: folder, workers: 1, output: "usual.mp4")
    try #require(usual.path == folder.path("usual.mp4"))
    let quality = try quality(file, of: "usual.mp4", from: 0)
    try #require(quality.count == 108)
    #expect(quality[..<36].allSatisfy { $0 < 38 }, "\(quality[..<36])")
    #expect(quality[37...].allSatisfy { $0 > 42 }, "\(quality[36...])")
  }

  @Test func `a dissolve of interlaced footage blends each field on its own`() throws {
    // The rows of one field are white and those of the other black, so that mixing the two would show gray.
    let rows = "geq=lum='if(mod(Y,2),16,235)':cb=128:cr=128,setfield=tff"
    for name in ["a", "b"] { try write("\(name).mp4", filter: rows, Self.interlaced("tff")) }
    let file = try render(
      #"{"clip": "a.mp4"}, {"transition": "dissolve", "duration": "1/5"}, {"clip": "b.mp4"}"#)
    let luma = try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", file.path, "-vf", "extractplanes=y,crop=2:192:160:0", "-f", "rawvideo",
        "-",
      ])
    #expect(luma.count.isMultiple(of: 384) && luma.count > 384)
    for (place, value) in luma.enumerated() {
      let isBlack = place / 2 % 192 % 2 == 1
      #expect(
        abs(Int(value) - (isBlack ? 16 : 235)) < 8, "row \(place / 2 % 192) of frame \(place / 384)"
      )
      if abs(Int(value) - (isBlack ? 16 : 235)) >= 8 { break }
    }
  }
}
