import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// The gain of music under a tone that switches on and off, sample by sample.
@Suite(.mayBlock) struct DuckingTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The right channel of a mix in which a constant on the right is ducked under a tone on the left.
  private func music(
    _ ducking: Ducking, speech: [Range<Int>], level: Float = 0.5, count: Int = 480_000
  ) throws -> [Float] {
    var tone = [Float](repeating: 0, count: count)
    for range in speech {
      for number in range {
        tone[number] = level * Float(sin(2 * .pi * 1000 * Double(number) / 48_000))
      }
    }
    let silence = [Float](repeating: 0, count: count)
    let ones = [Float](repeating: 0.5, count: count)
    let paths = ["speech.wav", "music.wav"].map { folder.path($0) }
    try PCM.write([tone, silence], sampleRate: 48_000, to: paths[0])
    try PCM.write([silence, ones], sampleRate: 48_000, to: paths[1])
    var mix = try TestMix(path: paths[0], sampleCount: Int64(count))
    mix.description.sources.append(try TestMix.source(paths[1]))
    mix.description.inputs.append(
      MixInput(
        source: 1, sourceSample: 0, targetSample: 0, sampleCount: Int64(count), volume: Ramps()))
    mix.description.ducking = [MixDucking(inputs: [1], under: [0], ducking: ducking)]
    let samples = try mix.samples()
    #expect(samples[0] == tone)
    return samples[1]
  }

  /// The documented gain: the lowest of the gains for each range of speech.
  private func gain(_ ducking: Ducking, at sample: Int, speech: [Range<Int>]) -> Double {
    func samples(_ time: RationalTime) -> Double { time.seconds * 48_000 }
    let depths = speech.map { range -> Double in
      let (until, since) = (
        Double(range.lowerBound - sample), Double(sample - range.upperBound) - samples(ducking.hold)
      )
      if until > 0 { return max(0, 1 - until / samples(ducking.attack)) }
      return since < 0 ? 1 : max(0, 1 - since / samples(ducking.release))
    }
    return pow(ducking.to, depths.max() ?? 0)
  }

  private func worst(_ ducking: Ducking, speech: [Range<Int>]) throws -> Double {
    let heard = try music(ducking, speech: speech)
    return heard.enumerated().map { number, sample in
      abs(Double(sample) - 0.5 * gain(ducking, at: number, speech: speech))
    }.max() ?? 1
  }

  @Test func `music has fallen when speech begins, and rises evenly in decibels when it ends`()
    throws
  {
    let speech = [96_000..<192_000]
    #expect(try worst(Ducking(), speech: speech) < 1e-6)
    let heard = try music(Ducking(), speech: speech)
    // 200 ms before, the gain is unchanged. Halfway, it has fallen by half of the 12 dB; at the first sample, by all.
    #expect(heard[86_400] == 0.5)
    #expect(abs(heard[91_200] - 0.25) < 1e-6)
    #expect(heard[96_000] == 0.125)
    // Half a second after the last sample of speech, it begins to rise, which takes a second.
    #expect(heard[216_000] == 0.125)
    #expect(abs(heard[240_000] - 0.25) < 1e-6)
    #expect(heard[264_000] == 0.5)
  }

  @Test func `music stays low in short pauses, and rises during longer ones`()
    throws
  {
    let ducking = Ducking(
      to: 0.1, threshold: -30, attack: try RationalTime(1, 10), hold: try RationalTime(1, 4),
      release: RationalTime(2))
    #expect(
      try worst(
        ducking,
        speech: [0..<48_000, 60_000..<72_000, 144_000..<148_800, 240_000..<240_480]) < 1e-6)
  }

  @Test func `sound below the threshold does not duck others`() throws {
    let speech = [96_000..<192_000]
    // A sine of 0.02 has a level of −37 dB.
    let quiet = try music(Ducking(threshold: -36.9), speech: speech, level: 0.02)
    #expect(quiet.allSatisfy { $0 == 0.5 })
    let heard = try music(Ducking(threshold: -37.1), speech: speech, level: 0.02)
    #expect(heard[120_000] == 0.125)
  }

  @Test func `an input that is ducked under itself is rejected`() throws {
    let path = folder.path("a.wav")
    try PCM.write([[0, 1, 0]], sampleRate: 48_000, to: path)
    var mix = try TestMix(path: path, sampleCount: 3)
    mix.description.ducking = [MixDucking(inputs: [0], under: [0], ducking: Ducking())]
    let error = #expect(throws: RenderingError.self) { try mix.mixer() }
    #expect(error?.code == .invalidDescription)
  }
}
