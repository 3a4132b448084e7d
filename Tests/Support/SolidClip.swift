/// A clip of one color, written by the `ffmpeg` command.
public struct SolidClip: Sendable {
  /// The luma and chroma of every pixel, in limited range.
  public var color: (y: Int, u: Int, v: Int)
  /// The number of frames.
  public var frameCount: Int
  /// Frames per second as ffmpeg reads it.
  public var rate: String
  /// Columns, even.
  public var width: Int
  /// Rows, even.
  public var height: Int

  /// Creates a clip with the given properties.
  public init(
    color: (y: Int, u: Int, v: Int), frameCount: Int, rate: String = "30", width: Int = 320,
    height: Int = 180
  ) {
    self.color = color
    self.frameCount = frameCount
    self.rate = rate
    self.width = width
    self.height = height
  }

  /// Writes the clip to `path` losslessly, so that every decoded pixel has exactly this color.
  public func write(to path: String) throws {
    try GeneratedFiles.write(path, kind: "\(self)") { try encode(to: path) }
  }

  private func encode(to path: String) throws {
    let filter =
      "color=c=black:s=\(width)x\(height):r=\(rate),format=yuv420p,"
      + "lutyuv=y=\(color.y):u=\(color.u):v=\(color.v)"
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", filter, "-frames:v", "\(frameCount)",
        "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-pix_fmt", "yuv420p", "-bitexact",
        path,
      ])
  }
}
