import Foundation
import Support
import Testing

/// The sound of a finished file, sample by sample, as a decoder returns it after the signaled delay.
@Suite(.mayBlock) struct SoundTests {
  /// A frame-naming clip with a click track in PCM, so that the source itself is exact.
  static func clip(
    _ source: Int, seconds: Int, sampleRate: Int = 48000, clicks: [Int],
    in folder: TemporaryDirectory
  ) throws {
    try FrameNamingClip(source: source, frameCount: seconds * 30)
      .write(to: folder.path("picture-\(source).mp4"))
    try ClickTrack(
      sampleRate: sampleRate, sampleCount: seconds * sampleRate, clicks: clicks
    ).write(to: folder.path("sound-\(source).wav"), encoding: ["-c:a", "pcm_s16le"])
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("picture-\(source).mp4"), "-i",
        folder.path("sound-\(source).wav"), "-c", "copy", folder.path("clip-\(source).mov"),
      ])
  }

  /// The positions whose level exceeds everything else within 20 ms.
  static func peaks(_ samples: [Float]) -> [Int] {
    samples.indices.filter { index in
      let level = abs(samples[index])
      guard level > 0.2 else { return false }
      let near = max(0, index - 960)..<min(samples.count, index + 960)
      return near.allSatisfy { abs(samples[$0]) < level || $0 == index }
    }
  }

  @Test func `clicks land on their exact samples, and the length is exact`() throws {
    let folder = try TemporaryDirectory()
    // The cuts are off the frame grid, and off the AAC encoder's frames of 1024 samples.
    try Self.clip(1, seconds: 8, clicks: [5000, 60001, 143_777, 300_003], in: folder)
    try Self.clip(2, seconds: 8, clicks: [10_007, 99_999, 250_000], in: folder)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [
          {"clip": "clip-1.mov", "in": "1/16", "out": "15/2"}, {"clip": "clip-2.mov", "out": 6}],
         "export": {"video": {"codec": "h264", "crf": 30, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    // The first clip plays from sample 3000 for 357,000 samples.
    let expected =
      [5000, 60001, 143_777, 300_003].map { $0 - 3000 }
      + [10_007, 99_999, 250_000].map { $0 + 357_000 }
    let channels = try PCM.read(file.path, channels: 2)
    for channel in channels { #expect(Self.peaks(channel) == expected) }

    // 13.4375 s are 404 output frames of 1/30 s, and the sound is as long as the video.
    let length = try file.ffprobe([
      "-select_streams", "a:0", "-show_entries", "stream=duration_ts", "-of", "csv=p=0",
    ])
    #expect(Int(length) == 404 * 1600)
    #expect(try file.videoPackets().count == 404)
  }

  @Test func `clicks of a 44.1 kHz source land on the nearest sample`() throws {
    let folder = try TemporaryDirectory()
    // Multiples of 147 fall on whole samples at 48 kHz, because 147 samples become 160.
    try Self.clip(1, seconds: 4, sampleRate: 44100, clicks: [147 * 100, 147 * 900], in: folder)
    let file = try Rendered(
      [folder.path("clip-1.mov"), "--crf", "30", "--encoder-preset", "ultrafast"], in: folder)
    let channels = try PCM.read(file.path, channels: 2)
    #expect(Self.peaks(channels[0]) == [160 * 100, 160 * 900])
  }

  @Test func `a file in 5.1 has each channel in its place`() throws {
    let folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 90).write(to: folder.path("picture.mp4"))
    // Each channel has a different tone. The low-frequency channel can only have a low one.
    let frequencies = [440.0, 550, 660, 60, 880, 990]
    let tones = frequencies.map { frequency in
      (0..<144_000).map { Float(0.25 * sin(2 * Double.pi * frequency * Double($0) / 48_000)) }
    }
    try PCM.write(tones, sampleRate: 48_000, to: folder.path("tones.wav"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("picture.mp4"), "-i", folder.path("tones.wav"),
        "-c:v", "copy", "-c:a", "pcm_s16le", folder.path("tones.mov"),
      ])
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "tones.mov"}],
         "export": {"video": {"codec": "h264", "crf": 30, "encoderPreset": "ultrafast"},
           "audio": {"channels": 6}}}
        """, in: folder)
    let layout = try file.ffprobe([
      "-select_streams", "a:0", "-show_entries", "stream=channels,channel_layout", "-of",
      "csv=p=0",
    ])
    #expect(layout == "6,5.1")
    for (channel, samples) in try PCM.read(file.path, channels: 6).enumerated() {
      for (other, frequency) in frequencies.enumerated() {
        var (real, imaginary) = (0.0, 0.0)
        for number in 48_000..<96_000 {
          let angle = 2 * Double.pi * frequency * Double(number) / 48_000
          real += Double(samples[number]) * cos(angle) / 24_000
          imaginary += Double(samples[number]) * sin(angle) / 24_000
        }
        let level = (real * real + imaginary * imaginary).squareRoot()
        #expect(abs(level - (other == channel ? 0.25 : 0)) < 0.02, "\(frequency) Hz in \(channel)")
      }
    }
  }

  @Test func `a steady tone has no click, gap or step at segment boundaries`() throws {
    let folder = try TemporaryDirectory()
    try FrameNamingClip(source: 1, frameCount: 600).write(to: folder.path("picture.mp4"))
    let tone = (0..<960_000).map { Float(0.5 * sin(2 * Double.pi * 440 * Double($0) / 48000)) }
    try PCM.write([tone, tone], sampleRate: 48000, to: folder.path("tone.wav"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-i", folder.path("picture.mp4"), "-i", folder.path("tone.wav"),
        "-c:v", "copy", "-c:a", "pcm_s16le", folder.path("tone.mov"),
      ])
    // Two cuts continue the tone in phase, so any step would come from Sheaf.
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [
          {"clip": "tone.mov", "out": "25/4"}, {"clip": "tone.mov", "in": "25/4", "out": "51/4"},
          {"clip": "tone.mov", "in": "51/4"}],
         "export": {"video": {"codec": "h264", "crf": 30, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    let mixed = try PCM.read(file.path, channels: 2)[0]
    try #require(mixed.count >= tone.count)
    // Skips the beginning and the end of the tone, where a lossy encoder rings.
    let worst = (4096..<tone.count - 4096).map { abs(mixed[$0] - tone[$0]) }.max() ?? 1
    #expect(worst < 0.02, "the mix is off by \(worst) somewhere")
  }
}
