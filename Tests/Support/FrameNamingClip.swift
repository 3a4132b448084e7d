import Foundation

/// A clip whose every frame shows its own ``FrameName``, written by the `ffmpeg` command.
public struct FrameNamingClip: Sendable {
  /// The id painted into every frame, 0 to 255.
  public var source: Int
  /// The number of frames.
  public var frameCount: Int
  /// Frames per second as ffmpeg reads it, e.g. `30` or `30000/1001`.
  public var rate: String
  /// Columns, even.
  public var width: Int
  /// Rows, even.
  public var height: Int
  /// The codec and other output options of ffmpeg.
  public var encoding: [String]
  /// Presentation times in milliseconds for a variable frame rate, one per frame; `nil` for a constant one.
  public var milliseconds: [Int]?

  /// H.264 with B-frames, a keyframe every 12 frames.
  public static let h264 = [
    "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-g", "12", "-bf", "2",
    "-pix_fmt", "yuv420p",
  ]

  /// Creates a clip with the given properties.
  public init(
    source: Int, frameCount: Int, rate: String = "30", width: Int = 320, height: Int = 180,
    encoding: [String] = FrameNamingClip.h264, milliseconds: [Int]? = nil
  ) {
    self.source = source
    self.frameCount = frameCount
    self.rate = rate
    self.width = width
    self.height = height
    self.encoding = encoding
    self.milliseconds = milliseconds
  }

  /// Writes the clip to `path`, whose extension selects the container.
  public func write(to path: String) throws {
    try GeneratedFiles.write(path, kind: "\(self)") { try encode(to: path) }
  }

  private func encode(to path: String) throws {
    var pictures = Data(capacity: frameCount * width * height * 3 / 2)
    let chroma = Data(repeating: 128, count: (width / 2) * (height / 2) * 2)
    for frame in 0..<frameCount {
      pictures.append(
        contentsOf: FrameName(source: source, frame: frame).luma(width: width, height: height))
      pictures.append(chroma)
    }
    var arguments = [
      "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(width)x\(height)",
      "-r", rate, "-i", "-",
    ]
    if let milliseconds {
      // The time of frame N as the sum of the steps up to it.
      let steps = zip(milliseconds, milliseconds.dropFirst()).enumerated()
        .map { "+gte(N,\($0.offset + 1))*\($0.element.1 - $0.element.0)" }.joined()
      arguments += [
        "-vf", "settb=1/1000,setpts='\(milliseconds.first ?? 0)\(steps)'", "-fps_mode",
        "passthrough", "-enc_time_base", "1/1000",
      ]
      if path.hasSuffix(".mp4") || path.hasSuffix(".mov") {
        arguments += ["-video_track_timescale", "1000"]
      }
    }
    try Tool.run("ffmpeg", arguments + encoding + ["-bitexact", path], input: pictures)
  }
}
