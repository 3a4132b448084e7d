import Foundation
import Support

/// Small versions of the media that the projects in `examples/` name. Each clip has a single color, so that the frames
/// of an example have known values.
enum ExampleMedia {
  /// A color by its samples in limited range.
  struct Color: Hashable {
    let y: Int
    let u: Int
    let v: Int

    /// Limited-range black.
    static let black = Color(y: 16, u: 128, v: 128)
    /// Limited-range white.
    static let white = Color(y: 235, u: 128, v: 128)

    /// The mix of two colors with the fraction `part` of the first.
    static func mix(_ part: Double, of first: Color, over second: Color) -> Color {
      func mixed(_ a: Int, _ b: Int) -> Int {
        Int((part * Double(a) + (1 - part) * Double(b)).rounded())
      }
      return Color(
        y: mixed(first.y, second.y), u: mixed(first.u, second.u), v: mixed(first.v, second.v))
    }
  }

  static let harbor = Color(y: 180, u: 100, v: 150)
  static let market = Color(y: 70, u: 160, v: 90)
  static let station = Color(y: 125, u: 90, v: 200)
  /// `#003060` by the matrix of BT.601.
  static let slate = Color(y: 50, u: 156, v: 103)
  /// `#f4efe6` by the same matrix.
  static let paper = Color(y: 222, u: 123, v: 131)

  /// Clips of 10 s at 30 frames per second with a tone: name, color, width, height.
  private static let clips: [String: (Color, width: Int, height: Int)] = [
    "harbor.mp4": (harbor, 320, 180),
    "market.mp4": (market, 320, 180),
    "station.mp4": (station, 320, 180),
    "portrait.mp4": (market, 180, 320),
  ]

  /// Sounds, as filters of ffmpeg.
  private static let sounds: [String: String] = [
    "bed.m4a": "sine=frequency=220:sample_rate=48000:duration=10"
  ]

  /// Images, as filters of ffmpeg.
  private static let images: [String: String] = [
    // From black at the left to white at the right.
    "wipe.png": "color=c=black:s=320x180,format=gray,geq=lum=255*X/(W-1)"
  ]

  /// Writes the files that the text names.
  static func write(namedIn text: String, to folder: TemporaryDirectory) throws {
    // Layer instructions place pictures in pixels.
    let factor = text.contains("\"videoComposition\"") ? 4 : 1
    for (name, clip) in clips where text.contains("\"\(name)\"") {
      let color = clip.0
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-f", "lavfi", "-i",
          "color=c=black:s=\(clip.width * factor)x\(clip.height * factor):r=30,format=yuv420p,"
            + "lutyuv=y=\(color.y):u=\(color.u):v=\(color.v)",
          "-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000", "-t", "10",
          "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-c:a", "aac", "-bitexact",
          folder.path(name),
        ])
    }
    for (name, filter) in images where text.contains("\"\(name)\"") {
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-f", "lavfi", "-i", filter, "-frames:v", "1", "-pix_fmt", "gray",
          folder.path(name),
        ])
    }
    for (name, filter) in sounds where text.contains("\"\(name)\"") {
      try Tool.run(
        "ffmpeg",
        ["-v", "error", "-y", "-f", "lavfi", "-i", filter, "-c:a", "aac", folder.path(name)])
    }
  }
}
