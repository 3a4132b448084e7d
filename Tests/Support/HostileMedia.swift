import Foundation

/// Small media of every kind that Sheaf reads, intact and damaged.
public struct HostileMedia: Sendable, CustomStringConvertible {
  /// The file's extension.
  public let name: String
  /// The options of `ffmpeg` between its inputs and the output.
  public let encoding: [String]
  /// Whether it has video.
  public let isVideo: Bool

  /// The file's extension, and the first codec.
  public var description: String { "\(name) \(encoding.dropFirst().first ?? "")" }

  /// Every kind.
  public static let all: [HostileMedia] = [
    video("mp4", "libx264", ["-preset", "ultrafast", "-c:a", "aac"]),
    video("mov", "prores", ["-pix_fmt", "yuv422p10le", "-c:a", "pcm_s16le"]),
    video("mov", "qtrle", ["-c:a", "alac"]),
    video(
      "mkv", "libx265", ["-preset", "ultrafast", "-x265-params", "log-level=none", "-c:a", "ac3"]),
    video("webm", "libvpx-vp9", ["-cpu-used", "8", "-c:a", "libopus"]),
    video("webm", "libvpx", ["-cpu-used", "8", "-c:a", "libvorbis"]),
    video("mkv", "ffv1", ["-c:a", "flac"]),
    video("ts", "mpeg2video", ["-c:a", "mp2"]),
    video("avi", "mjpeg", ["-c:a", "pcm_s16le"]),
    video("mkv", "mpeg4", ["-c:a", "libmp3lame"]),
    HostileMedia(name: "y4m", encoding: ["-pix_fmt", "yuv420p", "-an"], isVideo: true),
    still("png", "png"), still("jpg", "mjpeg"), still("webp", "libwebp"), still("tiff", "tiff"),
    still("bmp", "bmp"),
    sound("wav", "pcm_s16le"), sound("flac", "flac"), sound("mp3", "libmp3lame"),
    sound("ogg", "libvorbis"), sound("m4a", "aac"),
  ]

  private static func video(_ name: String, _ codec: String, _ more: [String]) -> HostileMedia {
    HostileMedia(name: name, encoding: ["-c:v", codec, "-g", "6"] + more, isVideo: true)
  }

  private static func still(_ name: String, _ codec: String) -> HostileMedia {
    HostileMedia(
      name: name, encoding: ["-c:v", codec, "-frames:v", "1", "-an"], isVideo: false)
  }

  private static func sound(_ name: String, _ codec: String) -> HostileMedia {
    HostileMedia(name: name, encoding: ["-c:a", codec, "-vn"], isVideo: false)
  }

  /// The bytes of an intact file, which is written in `folder`.
  public func bytes(in folder: TemporaryDirectory) throws -> [UInt8] {
    let path = folder.path("sound-\(UUID().uuidString).\(name)")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x48:rate=25:duration=0.8",
        "-f", "lavfi", "-i", "sine=frequency=440:duration=0.8",
      ] + encoding + [path])
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The bytes, truncated, or with flipped bits, or with a part copied over another.
  public static func damaged(
    _ bytes: [UInt8], by generator: inout some RandomNumberGenerator
  ) -> [UInt8] {
    guard bytes.count > 16 else { return bytes }
    var bytes = bytes
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bytes.removeLast(Int.random(in: 1..<bytes.count, using: &generator))
    case 1:
      // Damages the headers.
      for _ in 0..<4 { flip(&bytes, below: min(bytes.count, 1024), by: &generator) }
    case 2:
      for _ in 0..<64 { flip(&bytes, below: bytes.count, by: &generator) }
    default:
      let length = Int.random(in: 1...bytes.count / 4, using: &generator)
      let from = Int.random(in: 0..<bytes.count - length, using: &generator)
      let to = Int.random(in: 0..<bytes.count - length, using: &generator)
      bytes.replaceSubrange(to..<to + length, with: Array(bytes[from..<from + length]))
    }
    return bytes
  }

  private static func flip(
    _ bytes: inout [UInt8], below end: Int, by generator: inout some RandomNumberGenerator
  ) {
    bytes[Int.random(in: 0..<end, using: &generator)] ^=
      1 << UInt8.random(in: 0..<8, using: &generator)
  }
}
