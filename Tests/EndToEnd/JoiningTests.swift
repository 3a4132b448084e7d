import Foundation
import Support
import Testing

/// Whole clips one after the other, in containers whose sound starts before the first frame.
@Suite(.mayBlock) struct JoiningTests {
  /// A container with codecs that it can hold.
  struct Container: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let pictures: [String]
    let sound: [String]
    var options: [String] = []
  }

  private static let containers = [
    Container(
      testDescription: "clip.ts", pictures: FrameNamingClip.h264, sound: ["-c:a", "mp2"]),
    Container(
      testDescription: "clip.mkv", pictures: FrameNamingClip.h264, sound: ["-c:a", "pcm_s16le"]),
    Container(
      testDescription: "clip.webm",
      pictures: [
        "-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used", "8", "-g", "12", "-pix_fmt",
        "yuv420p",
      ], sound: ["-c:a", "libopus"]),
    Container(
      testDescription: "clip.mp4", pictures: FrameNamingClip.h264, sound: ["-c:a", "aac"],
      // With `empty_moov`, ffmpeg writes the first frame at zero wherever its track starts, and warns about that.
      options: ["-movflags", "frag_keyframe+delay_moov"]),
  ]

  /// A clip of 45 frames whose video starts `delay` seconds after its sound, with clicks at 48 kHz.
  private func write(
    _ source: Int, _ container: Container, delay: String, clicks: [Int] = [],
    in folder: TemporaryDirectory
  ) throws -> String {
    let pictures = folder.path("pictures-\(source).mkv")
    try FrameNamingClip(source: source, frameCount: 45, encoding: container.pictures)
      .write(to: pictures)
    let sound = folder.path("sound-\(source).wav")
    try ClickTrack(sampleCount: 77_000, clicks: clicks)
      .write(to: sound, encoding: ["-c:a", "pcm_s16le"])
    let name = "\(source)-\(container.testDescription)"
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-y", "-itsoffset", delay, "-i", pictures, "-i", sound, "-c:v", "copy"]
        + container.sound + container.options + ["-bitexact", folder.path(name)])
    return name
  }

  @Test(arguments: containers, ["0.02", "0.107"])
  func `joining whole clips neither doubles nor loses a frame, whatever their audio offset is`(
    _ container: Container, delay: String
  ) throws {
    let folder = try TemporaryDirectory()
    let names = try [1, 2].map { try write($0, container, delay: delay, in: folder) }
    let sequence = [names[0], names[1], names[0]].map { #"{"clip": "\#($0)"}"# }
      .joined(separator: ", ")
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [\(sequence)],
         "export": {"video": {"codec": "h264", "crf": 23, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    let expected = [1, 2, 1].flatMap { source in
      (0..<45).map { FrameName(source: source, frame: $0) }
    }
    #expect(try FrameNameReader.names(in: file.path) == expected)
  }

  @Test func `a longer frame of a fragmented file is shown for its full duration`() throws {
    let folder = try TemporaryDirectory()
    var container = Self.containers[3]
    container.options = ["-movflags", "frag_keyframe+empty_moov"]
    // The first frame of the file is at 67 ms, and the second is at 163 ms, three frames later.
    let name = try write(1, container, delay: "0.107", in: folder)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "\(name)"}, {"clip": "\(name)"}],
         "export": {"video": {"codec": "h264", "crf": 23, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    let once = ([0, 0] + (0..<45)).map { FrameName(source: 1, frame: $0) }
    #expect(try FrameNameReader.names(in: file.path) == once + once)
  }

  @Test func `sound stays in sync with the frames of joined clips, to the sample`() throws {
    let folder = try TemporaryDirectory()
    // Matroska counts milliseconds, and 0.107 s are 5136 samples.
    let clicks = [3000, 9000, 40_001, 70_007]
    let name = try write(1, Self.containers[1], delay: "0.107", clicks: clicks, in: folder)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "\(name)"}, {"clip": "\(name)"}],
         "export": {"fileType": "mkv", "audio": {"codec": "pcm"},
           "video": {"codec": "h264", "crf": 30, "encoderPreset": "ultrafast"}}}
        """, in: folder, output: "out.mkv")
    // The first click is before the first frame, so it is cut. Each clip lasts 1.5 s, or 72,000 samples.
    let heard = clicks.dropFirst().map { $0 - 5136 }
    let samples = try PCM.read(file.path, channels: 2)[0]
    #expect(SoundTests.peaks(samples) == heard + heard.map { $0 + 72_000 })
  }
}
