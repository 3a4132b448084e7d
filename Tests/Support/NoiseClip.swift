import Foundation

/// A clip with a square of noise at the top left on black, different in each frame, and different noise in each of two
/// channels. Encoders cannot compress it well, so its bit rate is the one that they are given.
///
/// An encoder starts with the quality that ordinary pictures have at the given rate. A full frame of noise would exceed
/// the rate several times until the encoder adapts, which would be after a chunk of a second. A square needs about the
/// given rate.
public struct NoiseClip: Sendable {
  /// Columns, even.
  public var width: Int
  /// Rows, even.
  public var height: Int
  /// The columns and rows of the noise, a multiple of 4.
  public var side: Int
  /// The duration in seconds, at 25 frames per second.
  public var seconds: Int

  /// Creates a clip with the given properties.
  public init(width: Int, height: Int, side: Int, seconds: Int) {
    self.width = width
    self.height = height
    self.side = side
    self.seconds = seconds
  }

  /// Writes the clip to `path` as a QuickTime file with stereo PCM.
  public func write(to path: String) throws {
    var random = SeededRandom(seed: 144)
    let (luma, chroma) = (side * side, side * side / 2)
    var noise = Data(capacity: 25 * seconds * (luma + chroma))
    for _ in 0..<25 * seconds {
      let words = (0..<luma / 8).map { _ in random.next() }
      words.withUnsafeBytes { noise.append(contentsOf: $0) }
      noise.append(Data(repeating: 128, count: chroma))
    }
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(side)x\(side)",
        "-r", "25", "-i", "-", "-f", "lavfi", "-i",
        "\(Self.sound(seed: 1))[a];\(Self.sound(seed: 2))[b];[a][b]amerge=inputs=2", "-t",
        "\(seconds)", "-vf",
        "pad=\(width):\(height):0:0", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12",
        "-c:a", "pcm_s16le", "-bitexact", path,
      ], input: noise)
  }

  private static func sound(seed: Int) -> String {
    "anoisesrc=amplitude=0.9:color=white:seed=\(seed):sample_rate=48000"
  }
}
