import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Sound at changed speed.
@Suite(.mayBlock) struct SpeedTests {
  private static let rate = 48_000
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A mono mix of samples that a time map plays; the rest of the mix's last second is silent.
  private func mixed(
    _ sound: [Float], at own: Int = rate, pitch: AudioTimePitchAlgorithm,
    _ pieces: [(source: RationalTime, target: RationalTime)]
  ) throws -> [Float] {
    let path = folder.path("sound.wav")
    try PCM.write([sound], sampleRate: own, to: path)
    var (read, shown) = (RationalTime.zero, RationalTime.zero)
    var map = TimeMap(pitch: pitch, pieces: [])
    for piece in pieces {
      map.pieces.append(
        TimeMap.Piece(
          source: try TimeRange(start: read, duration: piece.source),
          target: try TimeRange(start: shown, duration: piece.target)))
      read = try read + piece.source
      shown = try shown + piece.target
    }
    let count = try shown.ticks(of: RationalTime(1, Int64(Self.rate)), rounding: .nearest)
    var mix = try TestMix(
      path: path, sampleCount: count + 1000, settings: AudioSettings(channels: 1))
    mix.description.inputs[0].sampleCount = count
    mix.description.inputs[0].timeMap = map
    let samples = try mix.samples()[0]
    #expect(samples.count == Int(count) + 1000)
    #expect(samples.suffix(1000).allSatisfy { $0 == 0 })
    return Array(samples.dropLast(1000))
  }

  private static func tone(_ frequency: Double, seconds: Double, at rate: Int = rate) -> [Float] {
    (0..<Int(seconds * Double(rate))).map {
      Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(rate)))
    }
  }

  /// The strongest frequency of a stretch of 0.4 s around its middle, in hertz, to 0.01 % by correlation.
  private static func frequency(of samples: ArraySlice<Float>, near expected: Double) -> Double {
    func power(_ frequency: Double) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for (number, sample) in samples.enumerated() {
        let window = 0.5 - 0.5 * cos(2 * .pi * Double(number) / Double(samples.count))
        let angle = 2 * .pi * frequency * Double(number) / Double(rate)
        real += window * Double(sample) * cos(angle)
        imaginary += window * Double(sample) * sin(angle)
      }
      return real * real + imaginary * imaginary
    }
    func best(around center: Double, within range: Double) -> Double {
      let candidates = (-20...20).map { center + Double($0) / 20 * range }
      return candidates.max { power($0) < power($1) } ?? center
    }
    return best(
      around: best(around: expected, within: expected * 0.1), within: expected * 0.005)
  }

  @Test(arguments: [
    ("2", 440.0), ("1/2", 440), ("3/7", 660), ("5/4", 220), ("1/8", 440), ("7", 330),
  ])
  func `spectral keeps the pitch within 1 percent at any speed`(
    speed: String, frequency: Double
  ) throws {
    let speed = try RationalTime(speed)
    let length = speed > RationalTime(1) ? RationalTime(8) : RationalTime(3)
    let samples = try mixed(
      Self.tone(frequency, seconds: length.seconds), pitch: .spectral, [(length, length / speed)])
    for part in [0.3, 0.5, 0.7] {
      let middle = Int(Double(samples.count) * part)
      let heard = Self.frequency(of: samples[middle - 9600..<middle + 9600], near: frequency)
      #expect(abs(heard / frequency - 1) < 0.01, "\(heard) Hz")
    }
    let level = samples[samples.count / 4..<samples.count * 3 / 4].map { abs($0) }.max() ?? 0
    #expect(abs(level - 0.5) < 0.08)
  }

  @Test(arguments: ["2", "1/2", "3/7", "1/20", "100", "1001/1000"], [48_000, 44_100, 96_000])
  func `varispeed plays each sample at its exact instant`(speed: String, own: Int) throws {
    let speed = try RationalTime(speed)
    let frequency = 400 / max(speed.seconds, 1)
    let length = speed > RationalTime(10) ? RationalTime(20) : RationalTime(1)
    let samples = try mixed(
      Self.tone(frequency, seconds: length.seconds, at: own), at: own, pitch: .varispeed,
      [(length, length / speed)])
    // Away from the ends of the file.
    let margin = 1000
    var worst = 0.0
    for number in margin..<samples.count - margin {
      let time = Double(number) / Double(Self.rate) * speed.seconds
      worst = max(worst, abs(Double(samples[number]) - 0.5 * sin(2 * .pi * frequency * time)))
    }
    #expect(worst < 1e-4, "off by \(worst)")
  }

  @Test func `varispeed filters out what would alias at a faster speed`() throws {
    let samples = try mixed(
      Self.tone(15_000, seconds: 2), pitch: .varispeed, [(RationalTime(2), RationalTime(1))])
    let level = samples[2000..<samples.count - 2000].map { abs($0) }.max() ?? 1
    #expect(level < 1e-4)
  }

  @Test func `varispeed has the samples that a faster piece needs, wherever the slower one stops`()
    throws
  {
    // The fast piece begins ten samples after a block of the mix, and weighs more samples than are read for those.
    let (slow, fast) = (Int64(AudioMixer.blockSize + 10), Int64(4000))
    let rate = Int64(Self.rate)
    let samples = try mixed(
      [Float](repeating: 0.5, count: Self.rate), pitch: .varispeed,
      [
        (try RationalTime(slow / 2, rate), try RationalTime(slow, rate)),
        (try RationalTime(fast * 8, rate), try RationalTime(fast, rate)),
      ])
    #expect(samples[1000..<Int(slow + fast)].allSatisfy { abs($0 - 0.5) < 1e-5 })
  }

  @Test(arguments: AudioTimePitchAlgorithm.allCases)
  func `a speed ramp has no clicks at its joints`(pitch: AudioTimePitchAlgorithm) throws {
    let ramp = try ClipSpeedRamp.pieces(from: 1, to: 4, steps: 64, over: RationalTime(2))
    let samples = try mixed(Self.tone(200, seconds: 6), pitch: pitch, ramp)
    // At four times the speed, the tone has 800 Hz: its second difference is bounded by 0.5 × (2π × 800 / 48000)².
    let top = pitch == .varispeed ? 800.0 : 200
    let bound = 0.5 * pow(2 * .pi * top / Double(Self.rate), 2)
    var worst = 0.0
    for number in 2400..<samples.count - 2400 {
      let around: Float = samples[number - 1] + samples[number + 1]
      worst = max(worst, Double(abs(around - 2 * samples[number])))
    }
    #expect(worst < bound * 1.5, "a step of \(worst), where \(bound) is the tone's own")
  }

  @Test(arguments: ["2", "1/2", "3/7", "1"])
  func `spectral keeps clicks within 10 ms of their places, and does not drift`(speed: String)
    throws
  {
    let speed = try RationalTime(speed)
    var sound = [Float](repeating: 0, count: 30 * Self.rate)
    let clicks = [1, 8, 16, 22, 29].map { $0 * Self.rate }
    for click in clicks {
      for offset in 0..<24 { sound[click + offset] = offset < 12 ? 0.8 : -0.8 }
    }
    let samples = try mixed(
      sound, pitch: .spectral, [(RationalTime(30), RationalTime(30) / speed)])
    for click in clicks {
      let expected = Int(Double(click) / speed.seconds)
      let near = max(0, expected - 9600)..<min(samples.count, expected + 9600)
      let heard = near.max { abs(samples[$0]) < abs(samples[$1]) } ?? 0
      #expect(abs(heard - expected) < 480, "\(heard - expected) samples off at \(click)")
    }
  }

  @Test func `a stretched mix is the same each time`() throws {
    let pieces = [
      (try RationalTime(3, 2), RationalTime(2)), (try RationalTime(1, 2), RationalTime(1)),
    ]
    let sound = Self.tone(300, seconds: 2)
    #expect(
      try mixed(sound, pitch: .spectral, pieces) == mixed(sound, pitch: .spectral, pieces))
  }
}

/// A speed ramp as pieces of constant speed.
enum ClipSpeedRamp {
  /// Pieces of equal output length whose speeds rise evenly.
  static func pieces(from: Int64, to: Int64, steps: Int64, over length: RationalTime) throws
    -> [(source: RationalTime, target: RationalTime)]
  {
    let step = try length / RationalTime(steps)
    return try (0..<steps).map { number in
      let speed = try RationalTime(from) + RationalTime((to - from) * (2 * number + 1), 2 * steps)
      return (try step * speed, step)
    }
  }
}
