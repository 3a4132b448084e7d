import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// The gain of each channel of a source in each channel of the output.
@Suite(.mayBlock) struct LayoutTests {
  private static let half = 0.5.squareRoot()
  /// The gains of ITU-R BS.775-3, table 2, for left, right, center, low frequencies, left and right surround.
  static let surround: [Int: [[Double]]] = [
    1: [[half, half, 1, 0, 0.5, 0.5]],
    2: [[1, 0, half, 0, half, 0], [0, 1, half, 0, 0, half]],
    6: (0..<6).map { row in (0..<6).map { $0 == row ? 1 : 0 } },
  ]

  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The middle sample of each channel of a mix of a file in which every channel is constant.
  private func levels(
    of constants: [Float], encoding: [String] = ["-c:a", "pcm_f32le"], rate: Int = 48_000,
    channels: Int, guessesLayout: Bool = true
  ) throws -> [Float] {
    let path = folder.path("levels.wav")
    try PCM.write(
      constants.map { [Float](repeating: $0, count: rate) }, sampleRate: rate, to: path,
      encoding: encoding, guessesLayout: guessesLayout)
    let mix = try TestMix(
      path: path, sampleCount: 48_000, settings: AudioSettings(channels: channels))
    return try mix.samples().map { $0[24_000] }
  }

  @Test(arguments: [1, 2, 6], 0..<6)
  func `each channel of 5.1 is mixed with the gains of BS.775`(channels: Int, channel: Int) throws {
    var constants = [Float](repeating: 0, count: 6)
    constants[channel] = 0.25
    let rows = try #require(Self.surround[channels])
    for rate in [48_000, 44_100] {
      let levels = try levels(of: constants, rate: rate, channels: channels)
      for (level, row) in zip(levels, rows) {
        #expect(abs(Double(level) - 0.25 * row[channel]) < 1e-5)
      }
    }
  }

  @Test func `mono becomes the center of 5.1, or both channels of stereo`() throws {
    #expect(try levels(of: [0.25], channels: 1) == [0.25])
    #expect(try levels(of: [0.25], channels: 2) == [0.25, 0.25])
    #expect(try levels(of: [0.25], channels: 6) == [0, 0, 0.25, 0, 0, 0])
  }

  @Test func `stereo becomes the front of 5.1, or half of each channel in mono`() throws {
    #expect(try levels(of: [0.25, 0.5], channels: 1) == [0.375])
    #expect(try levels(of: [0.25, 0.5], channels: 2) == [0.25, 0.5])
    #expect(try levels(of: [0.25, 0.5], channels: 6) == [0.25, 0.5, 0, 0, 0, 0])
  }

  /// The number of channels, the channel that has sound, the number of output channels, and the level in each of them.
  private static let unplaced: [(count: Int, channel: Int, channels: Int, gains: [Double])] = [
    // Left, right and center.
    (3, 2, 2, [half, half]), (3, 2, 6, [0, 0, 1, 0, 0, 0]),
    // Left, right, center and the two surrounds.
    (5, 3, 2, [half, 0]), (5, 4, 2, [0, half]), (5, 3, 6, [0, 0, 0, 0, 1, 0]),
    // The places of nine channels are unknown, so each is in the middle, at a third.
    (9, 0, 1, [third]), (9, 8, 2, [half * third, half * third]), (9, 4, 6, [0, 0, third, 0, 0, 0]),
    (25, 24, 1, [0.2]),
  ]
  private static let third: Double = 1 / 3

  @Test(arguments: unplaced)
  func `channels without a layout have the documented places`(
    count: Int, channel: Int, channels: Int, gains: [Double]
  ) throws {
    var constants = [Float](repeating: 0, count: count)
    constants[channel] = 0.5
    let levels = try levels(
      of: constants, encoding: ["-c:a", "pcm_s16le", "-f", "avi"], channels: channels,
      guessesLayout: false)
    for (level, gain) in zip(levels, gains) { #expect(abs(Double(level) - 0.5 * gain) < 1e-4) }
    let index = try MediaProber.index(
      of: FileByteSource(path: folder.path("levels.wav")), named: "levels")
    #expect(index.audio[0].channels == count)
  }

  /// The channel of W, Y, Z and X that has sound, the number of output channels, and the level in each.
  private static let ambisonic: [(channel: Int, channels: Int, gains: [Double])] = [
    (0, 1, [1]), (1, 1, [0]), (3, 1, [0]),
    (0, 2, [0.5, 0.5]), (1, 2, [0.5, -0.5]), (2, 2, [0, 0]), (3, 2, [0, 0]),
    (0, 6, [0.5, 0.5, 0.5, 0, 0.5, 0.5]), (3, 6, [0.433_013, 0.433_013, 0.5, 0, -0.171, -0.171]),
  ]

  @Test(arguments: ambisonic)
  func `ambisonic sound is decoded as by a microphone for each loudspeaker`(
    channel: Int, channels: Int, gains: [Double]
  ) throws {
    var constants = [Float](repeating: 0, count: 4)
    constants[channel] = 0.25
    let (wav, path) = (folder.path("ambisonic.wav"), folder.path("ambisonic.mkv"))
    let step = 2 * Double.pi * 440 / 48_000
    let tone: [[Float]] = constants.map { (level: Float) -> [Float] in
      (0..<48_000).map { level * Float(sin(step * Double($0))) }
    }
    try PCM.write(tone, sampleRate: 48_000, to: wav)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-channel_layout", "ambisonic 1", "-i", wav, "-c:a", "libopus",
        "-mapping_family", "2", "-b:a", "512k", path,
      ])
    let mix = try TestMix(
      path: path, sampleCount: 48_000, settings: AudioSettings(channels: channels))
    for (samples, gain) in zip(try mix.samples(), gains) {
      let (expected, heard) = (0.25 * gain, samples[12_000..<36_000])
      // The signed amplitude, by correlation with the original tone.
      let sum = heard.indices.reduce(0.0) {
        $0 + Double(heard[$1]) * sin(step * Double($1))
      }
      #expect(abs(sum / 12_000 - expected) < 0.01)
    }
  }

  @Test(arguments: [8_000, 11_025, 22_050, 32_000, 44_100, 96_000, 192_000])
  func `a level is the same at any sample rate`(rate: Int) throws {
    let level = try levels(of: [0.5, 0.5], rate: rate, channels: 2)
    #expect(level.allSatisfy { abs($0 - 0.5) < 1e-5 })
  }

  @Test func `an encoded 5.1 mix has each channel in its place`() throws {
    let path = folder.path("tones.wav")
    // A frequency for each channel; the low-frequency channel can have no higher one.
    let frequencies = [440.0, 550, 660, 60, 880, 990]
    let tones = frequencies.map { frequency in
      (0..<96_000).map { Float(0.25 * sin(2 * .pi * frequency * Double($0) / 48_000)) }
    }
    try PCM.write(tones, sampleRate: 48_000, to: path)
    let mix = try TestMix(
      path: path, sampleCount: 96_000, settings: AudioSettings(channels: 6))
    let encoded = folder.path("mix.m4a")
    try mix.mixer().mix(to: encoded)
    let layout = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=channel_layout,channels", "-of", "csv=p=0",
          encoded,
        ]), as: UTF8.self)
    #expect(layout.trimmingCharacters(in: .whitespacesAndNewlines) == "6,5.1")
    let decoded = try PCM.read(encoded, channels: 6)
    for (channel, samples) in decoded.enumerated() {
      let levels = frequencies.map { frequency -> Double in
        var (real, imaginary) = (0.0, 0.0)
        for number in 24_000..<72_000 {
          let angle = 2 * .pi * frequency * Double(number) / 48_000
          real += Double(samples[number]) * cos(angle) / 24_000
          imaginary += Double(samples[number]) * sin(angle) / 24_000
        }
        return (real * real + imaginary * imaginary).squareRoot()
      }
      for (other, level) in levels.enumerated() {
        #expect(abs(level - (other == channel ? 0.25 : 0)) < 0.02, "\(other) in \(channel)")
      }
    }
  }

  @Test(
    .needsSharedMedia,
    arguments: ["chth_bbb_480p24_aac51_30s.mp4", "ax_bbb_1080p60_vp8_vorbis51.webm"])
  func `real 5.1 footage is down-mixed according to the table`(name: String) throws {
    let path = SharedMedia.path(name)
    func mixed(_ channels: Int) throws -> [[Float]] {
      try TestMix(
        path: path, sampleCount: 40_000, settings: AudioSettings(channels: channels)
      ).samples()
    }
    let whole = try mixed(6)
    for channels in [1, 2] {
      let rows = try #require(Self.surround[channels])
      for (samples, row) in zip(try mixed(channels), rows) {
        var worst = 0.0
        for number in samples.indices {
          let sum = (0..<6).reduce(0.0) { $0 + Double(whole[$1][number]) * row[$1] }
          worst = max(worst, abs(Double(samples[number]) - min(max(sum, -1), 1)))
        }
        #expect(worst < 1e-5)
      }
    }
    #expect(whole[0].contains { abs($0) > 1e-4 })
  }
}
