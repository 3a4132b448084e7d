import Support
import Testing

/// The layers and backgrounds of instructions, from the project file to the pixels of a lossless file.
@Suite(.mayBlock) struct InstructionPixelTests {
  private static let (width, height) = (320, 180)
  private static let first = [200, 90, 160]
  private static let second = [40, 170, 70]

  /// An sRGB color in limited range with the BT.601 matrix, which pictures of 180 rows use.
  private static func samples(red: Double, green: Double, blue: Double) -> [Int] {
    let luma = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    return [
      16 + 219 * luma, 128 + 224 * (blue / 255 - luma) / 1.772,
      128 + 224 * (red / 255 - luma) / 1.402,
    ].map { Int($0.rounded()) }
  }

  @Test func `the first layer is topmost, and the instruction's color surrounds all layers`() throws
  {
    let folder = try TemporaryDirectory()
    for (name, color) in [("a", Self.first), ("b", Self.second)] {
      try SolidClip(
        color: (color[0], color[1], color[2]), frameCount: 30, width: 160, height: 90
      ).write(to: folder.path("\(name).mp4"))
    }
    func segment(_ asset: String) -> String {
      """
      {"asset": "\(asset)", "source": {"start": 0, "duration": 1},
       "target": {"start": 0, "duration": 1}}
      """
    }
    // a at (20, 20), b at (100, 60): they overlap from (100, 60) to (180, 110).
    let layers = [
      #"{"track": 1, "transform": [{"at": 0, "value": [1, 0, 0, 1, 20, 20]}]}"#,
      #"{"track": 2, "transform": [{"at": 0, "value": [1, 0, 0, 1, 100, 60]}]}"#,
    ]
    let file = try Rendered(
      project: """
        {"version": 1, "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}},
         "composition": {"tracks": [
           {"id": 1, "mediaType": "video", "segments": [\(segment("a"))]},
           {"id": 2, "mediaType": "video", "segments": [\(segment("b"))]}]},
         "videoComposition": {"renderSize": {"width": \(Self.width), "height": \(Self.height)},
           "frameDuration": "1/30", "instructions": [
             {"timeRange": {"start": 0, "duration": "1/3"}, "backgroundColor": "#2060c0",
              "layers": [\(layers[0]), \(layers[1])]},
             {"timeRange": {"start": "1/3", "duration": "1/3"}, "backgroundColor": "#c08020",
              "layers": [\(layers[1]), \(layers[0])]},
             {"timeRange": {"start": "2/3", "duration": "1/3"}, "layers": []}]},
         "export": {"video": {"codec": "h264", "crf": 0, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    let frames = [UInt8](
      try Tool.run(
        "ffmpeg", ["-v", "error", "-i", file.path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]))
    let size = Self.width * Self.height
    try #require(frames.count == 30 * size * 3 / 2)
    let backgrounds = [
      Self.samples(red: 32, green: 96, blue: 192), Self.samples(red: 192, green: 128, blue: 32),
      [16, 128, 128],
    ]
    for number in 0..<30 {
      let instruction = number / 10
      for (plane, start) in [0, size, size * 5 / 4].enumerated() {
        let step = plane == 0 ? 1 : 2
        var wrong = 0
        for y in stride(from: 0, to: Self.height, by: step) {
          for x in stride(from: 0, to: Self.width, by: step) {
            let inFirst = (20..<180).contains(x) && (20..<110).contains(y)
            let inSecond = (100..<260).contains(x) && (60..<150).contains(y)
            let shown: [Int]
            if instruction == 2 || !(inFirst || inSecond) {
              shown = backgrounds[instruction]
            } else if inFirst && inSecond {
              shown = instruction == 0 ? Self.first : Self.second
            } else {
              shown = inFirst ? Self.first : Self.second
            }
            let sample = frames[
              number * size * 3 / 2 + start + y / step * (Self.width / step) + x / step]
            if abs(Int(sample) - shown[plane]) > 1 { wrong += 1 }
          }
        }
        #expect(wrong == 0, "frame \(number), plane \(plane)")
      }
    }
  }
}
