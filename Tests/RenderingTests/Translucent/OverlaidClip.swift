import Media
import Planning
import Rendering
import Support
import Timeline

/// A gray clip of 96 × 64, and single-color pictures that are laid over it.
struct OverlaidClip {
  static let size = PixelSize(width: 96, height: 64)
  /// The code values of all pixels of the clip.
  static let code = (luma: 60.0, cb: 110.0, cr: 140.0)

  let folder: TemporaryDirectory
  private let clip: String

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "color=c=black:s=96x64:r=30,format=yuv420p,lutyuv=y=60:u=110:v=140", "-frames:v", "12",
        "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-bitexact", clip,
      ])
  }

  /// A picture of one color and size in ffmpeg's syntax, such as `0x00ff00@0.5` and `1x1`.
  func picture(_ color: String, _ size: String = "1x1") throws -> String {
    let path = folder.path("\(color)-\(size).png")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "color=c=\(color):s=\(size),format=rgba",
        "-frames:v", "1", path,
      ])
    return path
  }

  /// The rendered frames with layers over the clip, or with the clip among them. Source 0 is the clip, and 1 is the
  /// first of `sources`.
  func frames(
    _ layers: [LayerSlice], isOverVideo: Bool = true, sources: [String], count: Int = 1
  ) throws -> [DecodedFrame] {
    var segment = try TestScene(
      paths: [clip] + sources, size: Self.size,
      layers: [TestScene.Layer(source: 0, frames: Array(0..<count))]
    ).segment()
    segment.slices[0].overlay = OverlaySlice(layers: layers, isOverVideo: isOverVideo)
    let path = folder.path("chunk.mp4")
    _ = try SegmentRenderer(segment: segment) { try FileByteSource(path: $0.name) }.render(to: path)
    return try DecodedFrame.all(in: path, size: Self.size)
  }
}
