import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct AudioMixerTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func clicks(
    _ name: String, at clicks: [Int], count: Int = 96_000, rate: Int = 48_000, channels: Int = 2,
    level: Float = 0.75
  ) throws -> String {
    let path = folder.path(name)
    try ClickTrack(
      sampleRate: rate, channels: channels, sampleCount: count, clicks: clicks, level: level
    ).write(to: path)
    return path
  }

  @Test func `clicks land on the exact sample, and everything else is silent`() throws {
    var mix = try TestMix(
      path: try clicks("a.wav", at: [0, 1000, 47_999, 95_999]), sampleCount: 200_001)
    mix.description.inputs = [
      MixInput(
        source: 0, sourceSample: 900, targetSample: 5, sampleCount: 50_000, volume: Ramps()),
      MixInput(
        source: 0, sourceSample: 0, targetSample: 100_001, sampleCount: 100_000, volume: Ramps()),
    ]
    let samples = try mix.samples()
    for channel in samples {
      #expect(channel.count == 200_001)
      #expect(
        channel.indices.filter { channel[$0] != 0 }
          == [105, 47_104, 100_001, 101_001, 148_000, 196_000])
      #expect(channel[105] == 0.75)
    }
  }

  @Test(arguments: [true, false])
  func `a disk that is full while the sound is encoded is reported, also if the mix is stopped`(
    isStopped: Bool
  ) throws {
    let path = folder.path("full.mp4")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/full")
    let mix = try TestMix(path: try clicks("a.wav", at: [0]), sampleCount: 60 * 48_000)
    let error = try #require(throws: MediaError.self) {
      try mix.mixer().mix(to: path) { mixed in !isStopped || mixed < 59 * 48_000 }
    }
    #expect(error.code == .writeFailed && error.systemError == ENOSPC)
  }

  @Test func `overlapping inputs add up, and are clipped once at the end`() throws {
    let paths = try [0.75, 0.75, -0.9].enumerated().map {
      try clicks("\($0.offset).wav", at: [10, 20 + $0.offset], level: Float($0.element))
    }
    var mix = try TestMix(path: paths[0], sampleCount: 1000)
    mix.description.sources = try paths.map(TestMix.source)
    mix.description.inputs = paths.indices.map {
      MixInput(source: $0, sourceSample: 0, targetSample: 0, sampleCount: 1000, volume: Ramps())
    }
    let left = try mix.samples()[0]
    let sum: Float = 0.75 + 0.75
    #expect(left[10] == sum - Float(0.9))
    mix.description.inputs.removeLast()
    #expect(try mix.samples()[0][10] == 1)
  }

  @Test func `volume ramps follow the exact line to within -90 dB at every sample`() throws {
    let path = folder.path("ones.wav")
    let count = 144_000
    try PCM.write([[Float](repeating: 1, count: count)], sampleRate: 48_000, to: path)
    var mix = try TestMix(
      path: path, sampleCount: Int64(count), settings: AudioSettings(channels: 1))
    let start = try RationalTime(1, 3)
    let fade = try TimeRange(start: start, duration: try RationalTime(7, 11))
    let rise = try TimeRange(start: RationalTime(1), duration: try RationalTime(3, 2))
    mix.description.inputs[0].volume = Ramps([
      .ramp(timeRange: fade, from: 1, to: 0.125), .ramp(timeRange: rise, from: 0.25, to: 0.875),
      .step(at: try RationalTime(11, 4), value: 0.5),
    ])
    let samples = try mix.samples()[0]
    var greatest = 0.0
    for (number, sample) in samples.enumerated() {
      let time = Double(number) / 48_000
      let gain: Double =
        if time >= 2.75 {
          0.5
        } else if time >= 2.5 {
          0.875
        } else if time >= 1 {
          0.25 + 0.625 * (time - 1) / 1.5
        } else if time >= 1.0 / 3 + 7.0 / 11 {
          0.125
        } else if time >= 1.0 / 3 {
          1 - 0.875 * (time - 1.0 / 3) / (7.0 / 11)
        } else {
          1
        }
      greatest = max(greatest, abs(Double(sample) - gain))
    }
    #expect(greatest < 3.16e-5)
  }

  @Test func `ramps on many overlapping tracks add up to within -90 dB of the float64 sum`() throws
  {
    let path = folder.path("ones.wav")
    let count = 96_000
    try PCM.write([[Float](repeating: 1, count: count)], sampleRate: 48_000, to: path)
    var random = SeededRandom(seed: 3)
    var mix = try TestMix(
      path: path, sampleCount: Int64(count), settings: AudioSettings(channels: 1))
    var inputs: [MixInput] = []
    var expected = [Double](repeating: 0, count: count)
    for _ in 0..<24 {
      let first = Int.random(in: 0..<48_000, using: &random)
      let length = Int.random(in: 1000..<48_000, using: &random)
      let (from, to) = (
        Double.random(in: 0...0.04, using: &random), Double.random(in: 0...0.04, using: &random)
      )
      let range = try TimeRange(
        start: RationalTime(Int64(first), 48_000), duration: RationalTime(Int64(length), 48_000))
      inputs.append(
        MixInput(
          source: 0, sourceSample: 0, targetSample: Int64(first), sampleCount: Int64(length),
          volume: Ramps([.ramp(timeRange: range, from: from, to: to)])))
      for number in 0..<length {
        expected[first + number] += from + (to - from) * Double(number) / Double(length)
      }
    }
    mix.description.inputs = inputs
    let samples = try mix.samples()[0]
    let greatest = zip(samples, expected).map { abs(Double($0) - $1) }.max() ?? 1
    #expect(greatest < 3.16e-5)
  }

  @Test func `a source with another rate is resampled to the mix's grid, wherever reading begins`()
    throws
  {
    let path = try clicks("b.wav", at: [0, 14_700, 44_100, 73_500], count: 88_200, rate: 44_100)
    var mix = try TestMix(path: path, sampleCount: 96_000)
    let whole = try mix.samples()[0]
    func loudest(_ samples: ArraySlice<Float>) -> Int? {
      samples.indices.max { abs(samples[$0]) < abs(samples[$1]) }
    }
    for click in [16_000, 48_000, 80_000] {
      #expect(loudest(whole[click - 500..<click + 500]) == click)
    }
    mix.description.inputs[0].sourceSample = 40_000
    mix.description.inputs[0].sampleCount = 50_000
    #expect(try mix.samples()[0][..<50_000] == whole[40_000..<90_000])
  }

  @Test(arguments: [1, 1000, 1024, 4096, 48_000, 100_003])
  func `the encoded mix has exactly the requested number of samples`(_ count: Int) throws {
    let path = folder.path("mix.m4a")
    let clicked = [min(700, count - 1)]
    let mix = try TestMix(
      path: try clicks("c.wav", at: clicked, count: count), sampleCount: Int64(count))
    try mix.mixer().mix(to: path)
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    let stream = try #require(index.audio.first)
    let length = try (stream.timeBase * (stream.end - stream.start)).ticks(
      of: RationalTime(1, 48_000))
    #expect(length == Int64(count))
    let decoded = try PCM.read(path, channels: 2)[0]
    #expect(decoded.count >= count)
    if count > 2000 {
      #expect(decoded.indices.max { abs(decoded[$0]) < abs(decoded[$1]) } == 700)
    }
  }

  @Test func `the same mix gives the same bytes`() throws {
    let mix = try TestMix(
      path: try clicks("d.wav", at: [5, 500, 5000], count: 96_000), sampleCount: 96_000)
    let paths = ["1.m4a", "2.m4a"].map { folder.path($0) }
    for path in paths { try mix.mixer().mix(to: path) }
    let files = try paths.map { path in
      try Tool.run("sha256sum", ["-b", path]).prefix(64)
    }
    #expect(files[0] == files[1])
  }

  @Test func `an input with a missing source is rejected`() throws {
    var mix = try TestMix(path: try clicks("e.wav", at: [5]), sampleCount: 100)
    mix.description.inputs[0].source = 3
    let error = #expect(throws: RenderingError.self) { try mix.mixer() }
    #expect(error?.code == .invalidDescription)
  }
}
