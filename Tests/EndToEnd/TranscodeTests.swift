import Foundation
import Support
import Testing

/// `sheaf transcode`, checked with other tools.
@Suite(.mayBlock) struct TranscodeTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try FrameNamingClip(source: 3, frameCount: 50, rate: "25", width: 320, height: 180)
      .write(to: folder.path("silent.mp4"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("silent.mp4"), "-f", "lavfi", "-i",
        "sine=frequency=440:sample_rate=44100", "-t", "2", "-c:v", "copy", "-c:a", "aac", "-ac",
        "1", folder.path("in.mp4"),
      ])
    try ClickTrack(sampleCount: 48_000, clicks: [4800]).write(to: folder.path("song.wav"))
  }

  private func transcode(_ arguments: String...) throws -> (status: Int32, errors: String) {
    let outcome = try Program.sheaf.run(["transcode"] + arguments, in: folder.path)
    return (outcome.status, outcome.standardError)
  }

  private func streams(of name: String) throws -> String {
    String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=codec_name,width,channels", "-of", "csv=p=0",
          folder.path(name),
        ]), as: UTF8.self
    ).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private struct Packet: Decodable {
    let size: String
    let flags: String
    var bytes: Int { Int(size) ?? 0 }
  }

  /// The packets of a stream in file order.
  private func packets(_ stream: String, of name: String) throws -> [Packet] {
    struct Answer: Decodable { let packets: [Packet] }
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=size,flags", "-of",
        "json", folder.path(name),
      ])
    return try JSONDecoder().decode(Answer.self, from: text).packets
  }

  @Test func `a file becomes H.264 with AAC in stereo, frame for frame`() throws {
    let outcome = try transcode("in.mp4", "out.mov", "--workers", "2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try streams(of: "out.mov") == "h264,320\naac,2")
    let names = try FrameNameReader.names(in: folder.path("out.mov"))
    #expect(names == (0..<50).map { FrameName(source: 3, frame: $0) })
  }

  @Test func `there is a keyframe at least every 30 frames, even within a chunk`() throws {
    try SolidClip(
      color: (120, 100, 140), frameCount: 1000, rate: "25", width: 64, height: 64
    ).write(to: folder.path("calm.mp4"))
    let segments = try PrintedPlan.segments(
      of: #"{"version": 1, "sequence": [{"clip": "calm.mp4"}]}"#, in: folder)
    // Nothing moves, so the encoder would not insert keyframes by itself.
    let longest = segments.map { $0.end - $0.first }.max() ?? 0
    #expect(longest > 60, "the chunks are too short to need further keyframes")
    #expect(try transcode("calm.mp4", "out.mp4", "--workers", "2").status == 0)
    let flags = try packets("v:0", of: "out.mp4").map(\.flags)
    #expect(flags.count == 1000)
    let keyframes = flags.indices.filter { flags[$0].contains("K") }
    #expect(keyframes.first == 0)
    let distances = zip(keyframes, keyframes.dropFirst() + [1000]).map { $1 - $0 }
    #expect(distances.max() == 30)
  }

  @Test(arguments: [(638, 1_240_272.0), (640, 3_102_720)])
  func `noise has the bit rate that the rule gives, and its sound 128 kb/s`(
    width: Int, bitRate: Double
  ) throws {
    // The number of pixels × 4.05 below 640 × 480, and × 10.1 from there on: 2.5 times as much for two more columns.
    try NoiseClip(width: width, height: 480, side: 144, seconds: 8).write(
      to: folder.path("noise.mov"))
    #expect(try transcode("noise.mov", "out.mp4", "--workers", "2").status == 0)
    func rate(_ stream: String) throws -> Double {
      Double(try packets(stream, of: "out.mp4").reduce(0) { $0 + $1.bytes } * 8) / 8
    }
    let (pictures, sound) = (try rate("v:0"), try rate("a:0"))
    #expect(abs(pictures / bitRate - 1) < 0.2, "\(pictures) bits a second")
    #expect(abs(sound / 128_000 - 1) < 0.03, "\(sound) bits a second")
    let layout = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", "a:0", "-show_entries",
        "stream=codec_name,profile,channel_layout", "-of", "csv=p=0", folder.path("out.mp4"),
      ])
    #expect(String(decoding: layout, as: UTF8.self) == "aac,LC,stereo\n")
  }

  @Test func `options select the codecs, and WebM has its own defaults`() throws {
    #expect(
      try transcode("in.mp4", "out.webm", "--crf", "40", "--encoder-preset", "8").status == 0)
    #expect(try streams(of: "out.webm") == "vp9,320\nopus,2")
    #expect(
      try transcode(
        "in.mp4", "out.mkv", "--codec", "hevc", "--encoder-preset", "ultrafast", "--bit-rate",
        "200000", "--audio-codec", "flac"
      ).status == 0)
    #expect(try streams(of: "out.mkv") == "hevc,320\nflac,2")
  }

  @Test func `files without pictures, or without sound, are transcoded too`() throws {
    #expect(try transcode("song.wav", "song.m4a").status == 0)
    #expect(try streams(of: "song.m4a") == "aac,2")
    #expect(try transcode("silent.mp4", "silent-out.mp4").status == 0)
    #expect(try streams(of: "silent-out.mp4") == "h264,320")
    #expect(try transcode("in.mp4", "sound.m4a", "--preset", "appleM4A").status == 0)
    #expect(try streams(of: "sound.m4a") == "aac,2")
    let alone = try Program.sheaf.run(["transcode", "in.mp4", "alone.m4a"], in: folder.path)
    #expect(alone.status == 0)
    #expect(alone.standardOutput.contains("alone.m4a: audio only, "))
    #expect(try streams(of: "alone.m4a") == "aac,2")
    let misled = try transcode("in.mp4", "misled.m4a", "--codec", "hevc")
    #expect(misled.status == 2)
    #expect(misled.errors.contains("an audio-only file has no video: --codec"))
  }

  @Test func `an impossible transcode is rejected with the right exit code`() throws {
    #expect(try transcode("in.mp4").status == 2)
    #expect(try transcode("in.mp4", "in.mp4", "--overwrite").status == 2)
    #expect(try transcode("in.mp4", "out.txt").status == 2)
    let misfit = try transcode("in.mp4", "out.webm", "--codec", "h264")
    #expect(misfit.status == 3)
    #expect(misfit.errors.contains("webm files cannot contain h264"))
    let range = try transcode("in.mp4", "out.mp4", "--crf", "99")
    #expect(range.status == 2)
    #expect(range.errors.contains("--crf must be a number from 0 to 63"))
  }
}
