import Foundation
import Support
import Testing

/// Animation layers, from the project file to the pixels of a lossless file, at full and at half size.
@Suite(.mayBlock) struct LayerPixelTests {
  private static let gray = 90.0
  private static let (width, height) = (320, 180)

  /// The luma of a frame of a gray clip beneath layers, which may show the asset `quarters`.
  private static func luma(under layers: String, renderScale: Double = 1) throws -> [UInt8] {
    let folder = try TemporaryDirectory()
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "nullsrc=s=32x16,format=gray,geq=lum='if(lt(Y,8),if(lt(X,16),255,0),if(lt(X,16),200,60))'",
        "-frames:v", "1", folder.path("quarters.png"),
      ])
    try SolidClip(color: (90, 128, 128), frameCount: 6, width: width, height: height)
      .write(to: folder.path("a.mp4"))
    let file = try Rendered(
      project: """
        {"version": 1, "assets": {"a": {"path": "a.mp4"}, "quarters": {"path": "quarters.png"}},
         "composition": {"tracks": [{"id": 1, "mediaType": "video", "segments": [
           {"asset": "a", "trackIndex": 0, "source": {"start": 0, "duration": "1/5"},
            "target": {"start": 0, "duration": "1/5"}}]}]},
         "videoComposition": {"renderSize": {"width": \(width), "height": \(height)},
           "renderScale": \(renderScale), "frameDuration": "1/30",
           "instructions": [{"timeRange": {"start": 0, "duration": "1/5"},
             "layers": [{"track": 1}]}],
           "animation": {"layers": [\(layers)]}},
         "export": {"fileType": "mp4",
           "video": {"codec": "h264", "crf": 0, "encoderPreset": "ultrafast"}}}
        """, in: folder, workers: 1)
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", file.path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt",
          "yuv420p", "-",
        ]))
    let pixels = Int(Double(width * height) * renderScale * renderScale)
    try #require(bytes.count == pixels * 3 / 2)
    return Array(bytes.prefix(pixels))
  }

  private static func solid(_ color: String, _ x: Int, _ y: Int) -> String {
    """
    {"type": "solid", "color": "\(color)", "position": {"x": \(x), "y": \(y)},
     "anchorPoint": {"x": 0, "y": 0}, "bounds": {"x": 0, "y": 0, "width": 120, "height": 80}}
    """
  }

  @Test(arguments: [1, 0.5])
  func `each pixel of a faded group is within one code value, whatever the render scale`(
    scale: Double
  ) throws {
    let group =
      #"{"type": "group", "opacity": 0.5, "layers": [\#(Self.solid("#ffffff", 20, 20)), \#(Self.solid("#000000", 80, 60))]}"#
    let luma = try Self.luma(under: group, renderScale: scale)
    let (columns, rows) = (Int(Double(Self.width) * scale), Int(Double(Self.height) * scale))
    var wrong = 0
    for row in 0..<rows {
      for column in 0..<columns {
        let (x, y) = (Double(column) / scale, Double(row) / scale)
        func isIn(_ left: Double, _ top: Double) -> Bool {
          x >= left && x < left + 120 && y >= top && y < top + 80
        }
        let wanted =
          isIn(80, 60) ? (16 + Self.gray) / 2 : isIn(20, 20) ? (235 + Self.gray) / 2 : Self.gray
        if abs(Double(luma[row * columns + column]) - wanted) > 1 { wrong += 1 }
      }
    }
    #expect(wrong == 0)
  }

  @Test func `text covers a quarter of the pixels at half the render scale`() throws {
    let text =
      #"{"type": "text", "text": "Sheaf", "font": {"family": "DejaVu Sans", "weight": "bold", "size": 80}, "position": {"x": 160, "y": 90}}"#
    let covered = try [1.0, 0.5].map { scale in
      try Self.luma(under: text, renderScale: scale).reduce(0.0) {
        $0 + (Double($1) - Self.gray) / (235 - Self.gray)
      }
    }
    #expect(covered[0] > 5000)
    #expect(abs(covered[1] * 4 - covered[0]) < covered[0] * 0.01)
  }

  /// The bounds are 100 × 60 at (60, 50). The image is 32 × 16.
  @Test(
    arguments: [
      ("resize", false, (60, 50, 100, 60)), ("resizeAspect", false, (60, 55, 100, 50)),
      ("resizeAspectFill", false, (50, 50, 120, 60)), ("resizeAspectFill", true, (50, 50, 120, 60)),
      ("center", false, (94, 72, 32, 16)), ("topLeft", false, (60, 50, 32, 16)),
      ("bottomRight", false, (128, 94, 32, 16)),
    ] as [(String, Bool, (Int, Int, Int, Int))])
  func `each pixel of an image is where its gravity puts it`(
    gravity: String, isMasked: Bool, area: (x: Int, y: Int, width: Int, height: Int)
  ) throws {
    let luma = try Self.luma(
      under: """
        {"type": "image", "asset": "quarters", "contentsGravity": "\(gravity)",
         "masksToBounds": \(isMasked), "position": {"x": 60, "y": 50},
         "anchorPoint": {"x": 0, "y": 0}, "bounds": {"x": 0, "y": 0, "width": 100, "height": 60}}
        """)
    var (wrong, looked) = (0, 0)
    for row in 0..<Self.height {
      for column in 0..<Self.width {
        let (x, y) = (
          (Double(column - area.x) + 0.5) / Double(area.width),
          (Double(row - area.y) + 0.5) / Double(area.height)
        )
        // At the borders of the quarters, the filter mixes two pixels of the image on each side.
        if abs(x - 0.5) * 32 < 2.5 || abs(y - 0.5) * 16 < 2.5 { continue }
        looked += 1
        let shows =
          (0..<1).contains(x) && (0..<1).contains(y)
          && (!isMasked || (60..<160).contains(column) && (50..<110).contains(row))
        let level: Double = y < 0.5 ? (x < 0.5 ? 255 : 0) : (x < 0.5 ? 200 : 60)
        let wanted = shows ? 16 + 219 * level / 255 : Self.gray
        if abs(Double(luma[row * Self.width + column]) - wanted) > 1 { wrong += 1 }
      }
    }
    #expect(wrong == 0)
    #expect(looked > Self.width * Self.height / 2)
  }
}
