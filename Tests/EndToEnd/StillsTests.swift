import Foundation
import Support
import Testing

/// Pictures of `sheaf frame` and `sheaf contact-sheet`, compared with those that `ffmpeg` takes from the finished film.
@Suite(.mayBlock) struct StillsTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Writes a colorful moving clip without loss.
  private func writeClip(
    _ name: String, frames: Int = 12, filter: String = "null", encoding: [String] = ["-qp", "0"]
  ) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x90:r=25,\(filter)", "-frames:v",
        "\(frames)", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p",
      ] + encoding + ["-bitexact", folder.path(name)])
  }

  private func write(_ project: String) throws {
    try project.write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
  }

  /// The red, green and blue of each pixel of the film's frame, converted with exact arithmetic. Chroma is at the left.
  private func filmed(_ frame: Int, of film: Rendered) throws -> Data {
    let flags = "bicubic+bitexact+accurate_rnd+full_chroma_inp+full_chroma_int"
    return try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", film.path, "-vf",
        "select=eq(n\\,\(frame)),scale=flags=\(flags):in_h_chr_pos=0:in_v_chr_pos=128,format=rgb24",
        "-frames:v", "1", "-f", "rawvideo", "-",
      ])
  }

  /// The red, green and blue of each pixel of a picture.
  private func pixels(_ name: String) throws -> Data {
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-i", folder.path(name), "-pix_fmt", "rgb24", "-f", "rawvideo", "-"])
  }

  private func still(at time: String, _ name: String = "x.png") throws -> Data {
    let outcome = try Program.sheaf.run(
      ["frame", "cut.json", "--at", time, "-o", name, "--overwrite"], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    return try pixels(name)
  }

  /// The number of the greatest difference between two pictures' samples, and of samples that differ.
  private func difference(_ one: Data, _ other: Data) -> (greatest: Int, count: Int) {
    guard one.count == other.count else { return (256, max(one.count, other.count)) }
    let differences = zip(one, other).map { abs(Int($0) - Int($1)) }
    return (differences.max() ?? 0, differences.count { $0 > 0 })
  }

  @Test func `a frame equals that of the lossless film in every sample`() throws {
    try writeClip("a.mp4")
    try writeClip("b.mp4", filter: "hue=h=120,hflip")
    var random = SeededRandom(seed: 5)
    let luma = (0..<160 * 90).map { _ in UInt8.random(in: 16...235, using: &random) }
    try TurnedClip(width: 160, height: 90, matrix: (0, 1, -1, 0)).write(
      luma, to: folder.path("turned.mp4"))
    let project = """
      {"version": 1, "frameRate": 25, "renderSize": {"width": 160, "height": 90},
       "sequence": [{"clip": "a.mp4"}, {"transition": "dissolve", "duration": "0.2"},
         {"clip": "b.mp4"}, {"clip": "turned.mp4", "fit": "blur"}],
       "animation": {"layers": [
         {"type": "text", "text": "Title", "font": {"family": "DejaVu Sans", "size": 20},
          "position": {"x": 80, "y": 45}, "opacity": 0.8}]},
       "export": {"video": {"codec": "h264", "crf": 0, "encoderPreset": "ultrafast"}}}
      """
    try write(project)
    let film = try Rendered(project: project, in: folder)
    // A pass-through, the dissolve, the second clip, and the turned clip over its blurred copy.
    for frame in [1, 9, 15, 20] {
      let found = difference(
        try still(at: "00:00:00:\(frame < 10 ? "0" : "")\(frame)"), try filmed(frame, of: film))
      #expect(found == (0, 0), "frame \(frame)")
    }
  }

  @Test func `a frame of a copied film is the source's own`() throws {
    try writeClip("a.mp4", encoding: ["-crf", "30", "-g", "6", "-bf", "2"])
    let project =
      #"{"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "passthrough"}}"#
    try write(project)
    let film = try Rendered(project: project, in: folder)
    for (time, frame) in [("0", 0), ("0.2", 5), ("0.44", 11)] {
      let found = difference(try still(at: time), try filmed(frame, of: film))
      #expect(found == (0, 0), "frame \(frame)")
    }
  }

  @Test(arguments: [(0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0)])
  func `a copied film that players rotate has upright frames`(a: Int, b: Int, c: Int, d: Int) throws
  {
    var random = SeededRandom(seed: 7)
    let luma = (0..<96 * 64).map { _ in UInt8.random(in: 16...235, using: &random) }
    try TurnedClip(width: 96, height: 64, matrix: (a, b, c, d)).write(
      luma, to: folder.path("a.mp4"))
    let project =
      #"{"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "passthrough"}}"#
    try write(project)
    let film = try Rendered(project: project, in: folder)
    // ffmpeg rotates as players do.
    #expect(difference(try still(at: "0"), try filmed(0, of: film)) == (0, 0))
  }

  @Test func `solid colors have the red, green and blue of the standard's formula`() throws {
    for (rows, red, blue) in [(90, 0.299, 0.114), (720, 0.2126, 0.0722)] {
      let (y, u, v) = (120, 90, 180)
      try SolidClip(color: (y, u, v), frameCount: 2, width: 160, height: rows)
        .write(to: folder.path("a.mp4"))
      try write(#"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#)
      // ITU-R BT.601 and BT.709, in limited range.
      let luma = Double(y - 16) / 219, (cb, cr) = (Double(u - 128) / 224, Double(v - 128) / 224)
      let green = 1 - red - blue
      let wanted = [
        luma + 2 * (1 - red) * cr,
        luma - (2 * (1 - blue) * blue * cb + 2 * (1 - red) * red * cr) / green,
        luma + 2 * (1 - blue) * cb,
      ].map { Int(($0 * 255).rounded()) }
      let found = try still(at: "0").prefix(3).map { Int($0) }
      #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(found), not \(wanted)")
    }
  }

  @Test func `high dynamic range is mapped to the range of screens`() throws {
    // A gray of 203 cd/m², the reference white of BT.2408, is 58 % of PQ's range: 64 + 0.58 × 876.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "color=black:s=160x90:r=25,format=yuv420p10le,lutyuv=y=573:u=512:v=512", "-frames:v", "4",
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "lossless=1:log-level=none",
        "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
        folder.path("a.mp4"),
      ])
    for preset in ["hevc1920x1080", "passthrough"] {
      try write(
        #"{"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "\#(preset)"}}"#)
      let color = try still(at: "0").prefix(3).map { Int($0) }
      // Diffuse white becomes nearly white: not the 148 of an unconverted code value.
      #expect(color.allSatisfy { $0 > 175 && $0 <= 255 }, "\(preset): \(color)")
      #expect((color.max() ?? 0) - (color.min() ?? 0) <= 2, "\(preset): \(color)")
    }
  }

  @Test func `a contact sheet shows each frame at its place, with its time beneath`() throws {
    let colors: [(y: Int, u: Int, v: Int)] = [(82, 90, 240), (145, 54, 34), (41, 240, 110)]
    for (number, color) in colors.enumerated() {
      try SolidClip(color: color, frameCount: 25, rate: "25", width: 160, height: 90)
        .write(to: folder.path("\(number).mp4"))
    }
    try write(
      #"""
      {"version": 1, "sequence": [{"clip": "0.mp4"}, {"clip": "1.mp4"}, {"clip": "2.mp4"}]}
      """#)
    let outcome = try Program.sheaf.run(
      [
        "contact-sheet", "cut.json", "-o", "sheet.png", "--frames", "3", "--columns", "3",
        "--width", "500",
      ], in: folder.path)
    try #require(outcome.status == 0, "\(outcome.standardError)")
    let (width, height) = try FrameNameReader.size(of: folder.path("sheet.png"))
    #expect(width == 500)
    let sheet = try pixels("sheet.png")
    func color(_ x: Int, _ y: Int) -> [Int] {
      (0..<3).map { Int(sheet[(y * width + x) * 3 + $0]) }
    }
    let wanted = [[254, 0, 0], [0, 255, 1], [0, 0, 255]]
    for (number, expected) in wanted.enumerated() {
      let found = color(500 * (2 * number + 1) / 6, 40)
      #expect(zip(found, expected).allSatisfy { abs($0 - $1) <= 3 }, "\(number): \(found)")
    }
    // Light letters on the dark sheet, beneath each picture and nowhere else.
    let lines = (height - 24)..<height
    for third in 0..<3 {
      let middle = 500 * (2 * third + 1) / 6
      let letters = lines.flatMap { y in (middle - 40..<middle + 40).map { color($0, y)[0] } }
      #expect(letters.contains { $0 > 150 })
    }
    #expect(color(2, 2)[0] < 60)
    #expect(outcome.standardOutput == "sheet.png: 3 frames, 500x\(height)\n")
  }

  @Test func `the file says that its colors are sRGB, and a JPEG shows the same picture`() throws {
    try writeClip("a.mp4")
    try write(#"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#)
    let png = try still(at: "0.1")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.path("x.png")))
    #expect(bytes.range(of: Data("sRGB".utf8)) != nil)
    let found = difference(png, try still(at: "0.1", "x.jpg"))
    let jpeg = try still(at: "0.1", "x.jpg")
    let mean = Double(zip(png, jpeg).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) })
    #expect(found.greatest < 256 && mean / Double(png.count) < 6)
  }
}
