import Foundation
import Processes

/// An H.264 clip with the profile High 4:4:4 Predictive, whose decoding depends on the x264 build that it names.
///
/// Such small pictures decode without an error for any build, but to other pixels.
public struct X264Clip: Sendable {
  /// The build that its first packet names; `nil` if it names none.
  public var build: Int?
  /// The number of frames. Every sixth is a keyframe, and the rate is 25 per second.
  public var frameCount: Int

  /// Creates a clip with the given properties.
  public init(build: Int?, frameCount: Int = 18) {
    self.build = build
    self.frameCount = frameCount
  }

  /// Writes the clip to `path`, an MP4 file.
  public func write(to path: String) throws {
    let removal = build == nil ? ["-bsf:v", "filter_units=remove_types=6"] : []
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "mandelbrot=s=32x64:r=25:end_scale=0.01,format=yuv444p", "-frames:v", "\(frameCount)",
        "-c:v", "libx264", "-profile:v", "high444", "-x264-params",
        "keyint=6:min-keyint=6:scenecut=0:8x8dct=1:bframes=0:qp=24",
      ] + removal + ["-bitexact", path])
    guard let build else { return }
    let file = URL(fileURLWithPath: path)
    var bytes = try Data(contentsOf: file)
    guard let place = bytes.range(of: Data("x264 - core ".utf8))?.upperBound else {
      throw Tool.Failure(
        command: ["ffmpeg", path], ending: .exited(0),
        standardError: "libx264 does not name its build")
    }
    // libx264's own build number has three digits.
    let number = "\(build)"
    let digits = Data((String(repeating: "0", count: max(3 - number.count, 0)) + number).utf8)
    bytes.replaceSubrange(place..<place + digits.count, with: digits)
    try bytes.write(to: file)
  }
}
