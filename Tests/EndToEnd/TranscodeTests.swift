import Foundation
import Support
import Testing

/// `sheaf transcode`, looked at from outside.
struct TranscodeTests {
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

  @Test func `a file becomes H.264 with AAC in stereo, frame for frame`() throws {
    let outcome = try transcode("in.mp4", "out.mov", "--workers", "2")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try streams(of: "out.mov") == "h264,320\naac,2")
    let names = try FrameNameReader.names(in: folder.path("out.mov"))
    #expect(names == (0..<50).map { FrameName(source: 3, frame: $0) })
    let keys = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-skip_frame", "nokey", "-show_entries",
          "frame=pict_type", "-of", "csv=p=0", folder.path("out.mov"),
        ]), as: UTF8.self)
    #expect(keys.split(separator: "\n").count >= 2, "a keyframe at least every 30 frames")
  }

  @Test func `options choose the codecs, and WebM has its own`() throws {
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
    #expect(alone.standardOutput.contains("alone.m4a: sound alone, "))
    #expect(try streams(of: "alone.m4a") == "aac,2")
    let misled = try transcode("in.mp4", "misled.m4a", "--codec", "hevc")
    #expect(misled.status == 3)
    #expect(misled.errors.contains("export.video: a file of sound alone has no pictures"))
  }

  @Test func `what cannot be done is refused with its exit code`() throws {
    #expect(try transcode("in.mp4").status == 2)
    #expect(try transcode("in.mp4", "in.mp4", "--overwrite").status == 2)
    #expect(try transcode("in.mp4", "out.txt").status == 2)
    let misfit = try transcode("in.mp4", "out.webm", "--codec", "h264")
    #expect(misfit.status == 3)
    #expect(misfit.errors.contains("webm files cannot hold h264"))
    let range = try transcode("in.mp4", "out.mp4", "--crf", "99")
    #expect(range.status == 3)
    #expect(range.errors.contains("export.video.crf"))
  }
}
