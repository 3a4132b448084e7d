import Foundation
import Processes

/// Reads the name of every frame of a finished file with the `ffmpeg` command.
public enum FrameNameReader {
  /// The names in the frames of the first video stream, in presentation order; `nil` for frames without a legible name.
  ///
  /// - Parameter area: the part of the picture that shows the source, as fractions; the whole picture by default.
  public static func names(
    in path: String, area: (x: Double, y: Double, width: Double, height: Double) = (0, 0, 1, 1)
  ) throws -> [FrameName?] {
    let (width, height) = try size(of: path)
    let luma = try lumaOfFrames(in: path)
    let pixels = (
      x: Int(area.x * Double(width)), y: Int(area.y * Double(height)),
      width: Int(area.width * Double(width)), height: Int(area.height * Double(height))
    )
    return stride(from: 0, to: luma.count, by: width * height).map { start in
      FrameName.read(luma[start..<start + width * height], width: width, area: pixels)
    }
  }

  /// The luma of all frames, one after the other, with the limited range scaled to 0…255.
  public static func lumaOfFrames(in path: String) throws -> [UInt8] {
    [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-noautorotate", "-i", path, "-map", "0:v:0", "-fps_mode", "passthrough",
          "-f", "rawvideo", "-pix_fmt", "gray", "-",
        ]))
  }

  /// The width and height of the first video stream, in coded pixels.
  public static func size(of path: String) throws -> (width: Int, height: Int) {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=width,height", "-of",
          "csv=p=0", path,
        ]), as: UTF8.self)
    let sides = text.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    guard sides.count >= 2 else {
      throw Tool.Failure(
        command: ["ffprobe", path], ending: .exited(0), standardError: "no size: \(text)")
    }
    return (sides[0], sides[1])
  }
}
