import Foundation

/// A clip with a square of noise at the top left, another one in each frame, on black, and noise of its own in each of
/// two channels: what no encoder makes small, so that its bit rate is the one that it is told.
///
/// An encoder that is told a rate begins with the quality that ordinary pictures have at it. Noise all over would take
/// several times as much until that is noticed, which in a chunk of a second is its end; a square takes about as much.
public struct NoiseClip: Sendable {
  /// Columns, even.
  public var width: Int
  /// Rows, even.
  public var height: Int
  /// The noise's columns and rows, a multiple of 4.
  public var side: Int
  /// How many seconds, at 25 frames a second.
  public var seconds: Int

  /// Creates a clip with the given properties.
  public init(width: Int, height: Int, side: Int, seconds: Int) {
    self.width = width
    self.height = height
    self.side = side
    self.seconds = seconds
  }

  /// Writes the clip to `path`, a QuickTime file with PCM in stereo.
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
