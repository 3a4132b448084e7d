import Media
import Support

/// Short clips of AV1, and their packets.
enum AV1Clip {
  /// Options for SVT-AV1, with a keyframe every 12 frames.
  static let svt = [
    "-c:v", "libsvtav1", "-preset", "12", "-crf", "40", "-g", "12", "-pix_fmt", "yuv420p",
    "-svtav1-params", "lp=1:irefresh-type=2",
  ]

  /// Options for libaom, with a keyframe every 12 frames and frames that are hidden at first.
  static let aom = [
    "-c:v", "libaom-av1", "-cpu-used", "8", "-crf", "40", "-g", "12", "-keyint_min", "12",
    "-lag-in-frames", "12", "-threads", "1", "-pix_fmt", "yuv420p",
  ]

  /// Writes a clip of 36 frames, and then further files, each from the packets of the one before, by options of ffmpeg.
  ///
  /// - Returns: the path of the last file.
  static func write(
    _ encoding: [String], named name: String = "clip.mp4", in folder: TemporaryDirectory,
    then steps: [[String]] = []
  ) throws -> String {
    var path = folder.path(name)
    try FrameNamingClip(source: 1, frameCount: 36, width: 160, height: 96, encoding: encoding)
      .write(to: path)
    for (number, options) in steps.enumerated() {
      let next = folder.path("\(number)-\(name)")
      try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", path, "-c", "copy"] + options + [next])
      path = next
    }
    return path
  }

  /// The packets of a file's pictures.
  static func packets(of path: String) throws -> [[UInt8]] {
    let demuxer = try Demuxer(source: try FileByteSource(path: path), named: path)
    let packet = try Packet()
    var packets: [[UInt8]] = []
    while try demuxer.read(into: packet) == .packet {
      packets.append(packet.withUnsafeBytes { Array($0) })
    }
    return packets
  }
}
