import Foundation
import Support
import Testing

/// Files with a `fileLengthLimit`, compared with the file without one.
@Suite(.mayBlock) struct LengthLimitTests {
  private struct Packet: Decodable {
    let codec_type: String
    let pts_time: String
    let size: String

    var bytes: Int { Int(size) ?? 0 }
    var time: Double { Double(pts_time) ?? .nan }
    /// The number of the output frame.
    var frame: Int { Int((time * 30).rounded()) }
  }

  /// The packets of the pictures and of the sound, each in file order.
  private static func packets(of file: Rendered) throws -> (video: [Packet], audio: [Packet]) {
    struct Answer: Decodable { let packets: [Packet] }
    let text = try file.ffprobe([
      "-show_entries", "packet=codec_type,pts_time,size", "-of", "json",
    ])
    let packets = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).packets
    return (
      packets.filter { $0.codec_type == "video" }, packets.filter { $0.codec_type == "audio" }
    )
  }

  private static func bytes(_ packets: some Sequence<Packet>) -> Int {
    packets.reduce(0) { $0 + $1.bytes }
  }

  /// Frame-naming pictures with so much noise that a few of them are larger than the whole index.
  private static func writeClip(in folder: TemporaryDirectory) throws {
    try FrameNamingClip(
      source: 1, frameCount: 60,
      encoding: [
        "-vf", "noise=alls=70:allf=t:all_seed=1", "-c:v", "libx264", "-preset", "ultrafast",
        "-crf", "8", "-pix_fmt", "yuv420p",
      ]
    ).write(to: folder.path("silent.mp4"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("silent.mp4"), "-f", "lavfi", "-i",
        "sine=frequency=440:sample_rate=48000", "-shortest", "-c:v", "copy", "-c:a", "aac",
        folder.path("clip.mp4"),
      ])
  }

  private static func render(
    _ type: String, limit: Int?, in folder: TemporaryDirectory
  ) throws -> Rendered {
    let limits = limit.map { #", "fileLengthLimit": \#($0)"# } ?? ""
    return try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "clip.mp4", "out": 2}],
         "export": {"fileType": "\(type)"\(limits),
           "video": {"crf": 2, "encoderPreset": "veryfast"}}}
        """, in: folder, output: "\(limit ?? 0).\(type)")
  }

  @Test(arguments: ["mp4", "mkv"])
  func `a limited file ends with the last frames that fit`(type: String) throws {
    let folder = try TemporaryDirectory()
    try Self.writeClip(in: folder)
    let whole = try Self.packets(of: try Self.render(type, limit: nil, in: folder))
    #expect(whole.video.count == 60)
    for limit in [700_000, 1_500_000] {
      let file = try Self.render(type, limit: limit, in: folder)
      let kept = try Self.packets(of: file)
      let count = kept.video.count
      // The file starts like the whole one, and no frame is missing.
      #expect(kept.video.map(\.bytes) == whole.video.prefix(count).map(\.bytes))
      #expect(Set(kept.video.map(\.frame)) == Set(0..<count))
      #expect(
        try FrameNameReader.names(in: file.path)
          == (0..<count).map { FrameName(source: 1, frame: $0) })
      #expect(kept.audio.map(\.bytes) == whole.audio.prefix(kept.audio.count).map(\.bytes))
      #expect(try file.complaints() == "")

      // The next packets, up to the first place at which no earlier frame is missing, and the sound up to their end.
      var next: [Packet] = []
      for packet in whole.video.dropFirst(count) {
        next.append(packet)
        if Set(next.map(\.frame)) == Set(count..<count + next.count) { break }
      }
      try #require(!next.isEmpty, "the limit does not shorten the file")
      let end = Double(count + next.count) / 30
      let sound = whole.audio.filter { $0.time < end }.dropFirst(kept.audio.count)
      let size = try Data(contentsOf: URL(fileURLWithPath: file.path)).count
      #expect(size <= limit)
      let longer = size + Self.bytes(next) + Self.bytes(sound)
      #expect(longer > limit, "\(next.count) more frames fit: \(longer) of \(limit) bytes")
    }
  }
}
