import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Loudness according to EBU R 128, checked on the encoded file with ffmpeg's own meter.
@Suite(.mayBlock) struct LoudnessTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Noise in bursts of changing level, like speech, with occasional full-scale clicks.
  private func program(level: Float, clicks: Bool) -> [[Float]] {
    var random = SeededRandom(seed: 7)
    var (held, burst): (Float, Float) = (0, 1)
    var samples: [Float] = []
    for number in 0..<960_000 {
      if number.isMultiple(of: 12_000) { burst = .random(in: 0.2...1, using: &random) }
      held = 0.9 * held + 0.1 * .random(in: -1...1, using: &random)
      samples.append(held * level * burst)
      if clicks, number % 60_000 < 12 { samples[number] += number % 60_000 < 6 ? 0.8 : -0.8 }
    }
    return [samples, samples.map { $0 * 0.7 }]
  }

  /// The loudness in LUFS and the true peak in dBTP, according to ffmpeg's filter ebur128.
  private func measured(_ path: String) throws -> (loudness: Double, peak: Double) {
    let text = try Tool.output(
      of: "ffmpeg",
      ["-nostats", "-i", path, "-filter_complex", "ebur128=peak=true", "-f", "null", "-"]
    ).standardError
    let summary = try #require(text.components(separatedBy: "Summary:").last)
    func number(after key: String) throws -> Double {
      let rest = try #require(summary.components(separatedBy: key).dropFirst().first)
      return try #require(rest.split(separator: " ").first.flatMap { Double($0) })
    }
    return (try number(after: "I:"), try number(after: "Peak:"))
  }

  private func mixed(
    _ path: String, to loudness: Loudness, seconds: Int64, channels: Int = 2
  ) throws -> (path: String, report: LoudnessReport) {
    let mix = try TestMix(
      path: path, sampleCount: seconds * 48_000,
      settings: AudioSettings(bitRate: 320_000, channels: channels, loudness: loudness))
    let encoded = folder.path("mix.m4a")
    let report = try mix.mixer().mix(to: encoded).loudness
    return (encoded, try #require(report))
  }

  @Test(arguments: [-23.0, -16, -14, -30], [0.05, 0.6] as [Float])
  func `a gain alone brings the sound to its target`(target: Double, level: Float) throws {
    let path = folder.path("program.wav")
    try PCM.write(program(level: level, clicks: false), sampleRate: 48_000, to: path)
    let (encoded, report) = try mixed(path, to: Loudness(target: target), seconds: 20)
    #expect(abs(try measured(encoded).loudness - target) < 0.5)
    #expect(!report.isLimited)
    let (before, after) = (try #require(report.before), try #require(report.after))
    #expect(abs(before - (try measured(path).loudness)) < 0.2)
    #expect(abs(before + report.gain - target) < 0.001)
    #expect(abs(after - target) < 0.05)
  }

  @Test(arguments: [-16.0, -20])
  func `peaks are limited to the ceiling, and the target is still reached`(target: Double)
    throws
  {
    let path = folder.path("clicks.wav")
    try PCM.write(program(level: 0.2, clicks: true), sampleRate: 48_000, to: path)
    let (encoded, report) = try mixed(
      path, to: Loudness(target: target, truePeak: -2), seconds: 20)
    #expect(report.isLimited)
    #expect(abs(try measured(encoded).loudness - target) < 0.5)
    #expect(abs(try #require(report.after) - target) < 0.2)
    #expect(try #require(report.truePeak) < -1.9)
  }

  @Test func `a limited mix stays below the ceiling at every sample`() throws {
    let path = folder.path("clicks.wav")
    try PCM.write(program(level: 0.2, clicks: true), sampleRate: 48_000, to: path)
    let mix = try TestMix(
      path: path, sampleCount: 960_000,
      settings: AudioSettings(loudness: Loudness(target: -16, truePeak: -6)))
    let highest = try mix.samples().joined().map { abs($0) }.max() ?? 1
    #expect(highest <= Float(pow(10, -6.0 / 20)) * 1.001)
    #expect(highest > 0.3)
  }

  @Test func `silence stays silence, and is reported as such`() throws {
    let path = folder.path("silence.wav")
    try PCM.write([[Float](repeating: 0, count: 96_000)], sampleRate: 48_000, to: path)
    let (_, report) = try mixed(path, to: Loudness(target: -16), seconds: 2)
    #expect(report.before == nil)
    #expect(report.after == nil)
    #expect(report.gain == 0)
  }

  @Test func `a mix without a loudness is not changed`() throws {
    let path = folder.path("a.wav")
    try PCM.write([[0.5, -0.25, 0.125]], sampleRate: 48_000, to: path)
    let mix = try TestMix(
      path: path, sampleCount: 3, settings: AudioSettings(channels: 1))
    #expect(try mix.samples() == [[0.5, -0.25, 0.125]])
    #expect(try mix.mixer().mix(to: folder.path("a.m4a")).loudness == nil)
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      ("mdn_friday_480p30.mp4", 6, 2), ("chth_bbb_480p24_aac51_30s.mp4", 30, 6),
      ("chth_bbb_480p24_aac51_30s.mp4", 30, 2), ("fl_butterfly_720p2997_h264_aac.mp4", 7, 1),
    ] as [(String, Int64, Int)])
  func `real footage is within 0.5 LU of the target`(
    name: String, seconds: Int64, channels: Int
  ) throws {
    for target in [-23.0, -16] {
      let (encoded, report) = try mixed(
        SharedMedia.path(name), to: Loudness(target: target), seconds: seconds, channels: channels)
      #expect(abs(try measured(encoded).loudness - target) < 0.5, "\(report)")
    }
  }
}
