import Crypto
import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Sound that is partly copied: the copied packets are the source's, every sample is in its place, and seams are as
/// good as ordinary encoding.
@Suite(.mayBlock) struct SoundSplicerTests {
  private static let rate: Int64 = 44_100
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Eight seconds of chords and noise in AAC, without noise substitution, so that its samples do not depend on where
  /// decoding begins.
  private func source(_ name: String = "in.mp4", channels: Int = 2) throws -> String {
    let path = folder.path(name)
    let left = "0.2*sin(2000*t*t/8+900*t)+0.2*sin(1300*t)*(1+sin(9*t))/2+0.02*random(0)"
    let right = "0.3*sin(700*t*t/8+3000*t)+0.1*sin(450*t)+0.02*random(1)"
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "aevalsrc='\(channels == 1 ? left : "\(left)|\(right)")':s=\(Self.rate):d=8", "-c:a", "aac",
        "-aac_pns", "0", "-b:a", "128k", "-bitexact", path,
      ])
    return path
  }

  private static func settings(channels: Int = 2) -> AudioSettings {
    AudioSettings(sampleRate: Int(rate), channels: channels)
  }

  /// A mix of three seconds of a source, and of what comes `gap` samples later.
  private func cut(_ path: String, gap: Int64) throws -> TestMix {
    let first = 3 * Self.rate
    let rest = 8 * Self.rate - first - gap
    var mix = try TestMix(path: path, sampleCount: first + rest, settings: Self.settings())
    mix.description.inputs = [
      MixInput(source: 0, sourceSample: 0, targetSample: 0, sampleCount: first, volume: Ramps()),
      MixInput(
        source: 0, sourceSample: first + gap, targetSample: first, sampleCount: rest,
        volume: Ramps()),
    ]
    mix.description.copiedParts = CopiedSoundParts(
      ranges: mix.description.inputs.map {
        CopiedSoundRange(
          source: 0, sourceSample: $0.sourceSample, targetSample: $0.targetSample,
          sampleCount: $0.sampleCount)
      })
    return mix
  }

  @Test(arguments: [1, 2])
  func `only the packets around a fade are encoded`(channels: Int) throws {
    let path = try source(channels: channels)
    let sound = try SplicedSound(
      TestMix.dip(path, settings: Self.settings(channels: channels)), in: folder)
    #expect(try sound.check().count == 2)
    // The fade lasts 44 packets; the rest of 345 is copied, except for a few at each end of the fade.
    #expect(sound.copied.count > 280)
    #expect(sound.copied.filter { $0 >= 3 * Self.rate - 1024 && $0 < 4 * Self.rate }.isEmpty)
  }

  @Test(arguments: [0, 30_000])
  func `spliced sound has a waveform`(skipped: Int64) throws {
    var mix = try TestMix.dip(source(), settings: Self.settings())
    mix.description.skippedSamples = skipped
    let sound = try SplicedSound(mix, in: folder)
    let waveform = try #require(sound.spliced.waveform)
    let count = Int(8 * Self.rate - skipped)
    #expect(waveform.sampleRate == Int(Self.rate))
    #expect(waveform.samplesPerPoint == (count + 1999) / 2000)
    let peaks = stride(from: 0, to: count, by: waveform.samplesPerPoint).map { start in
      let range = start..<min(start + waveform.samplesPerPoint, count)
      let peak = sound.heard.flatMap { $0[range] }.map { abs($0) }.max() ?? 0
      return UInt8((min(peak, 1) * 255).rounded())
    }
    #expect(waveform.peaks == peaks)
  }

  @Test func `of many pieces of a file without exact times, only some are copied`() throws {
    let exact = try source()
    let counted = folder.path("in.ts")
    try Tool.run("ffmpeg", ["-v", "error", "-i", exact, "-c", "copy", counted])
    let piece: Int64 = 8 * Self.rate / 10
    let copied = try [exact, counted].map { path in
      var mix = try TestMix(path: path, sampleCount: 8 * Self.rate, settings: Self.settings())
      mix.description.copiedParts = CopiedSoundParts(
        ranges: (0..<10).map {
          CopiedSoundRange(
            source: 0, sourceSample: $0 * piece, targetSample: $0 * piece,
            sampleCount: piece - 1024)
        })
      return try SplicedSound(mix, in: folder).spliced.copied.seconds
    }
    // Six passes over seven tenths of the pieces take no longer than 9.6 over the mix and the file.
    #expect(copied[0] > 6)
    #expect(copied[1] > 0.6 * copied[0] && copied[1] < 0.8 * copied[0])
  }

  @Test func `sound behind a cut of whole packets is copied`() throws {
    let path = try source()
    let sound = try SplicedSound(cut(path, gap: 40 * 1024), in: folder)
    #expect(try sound.check().count == 2)
    #expect(sound.copied.count > 285)
    // The second part is found at its place behind the cut.
    #expect(sound.copied.contains { $0 > 4 * Self.rate })
  }

  @Test func `sound that is not on the grid of the longest part is encoded in its place`() throws {
    let path = try source()
    let gap: Int64 = 40 * 1024 + 333
    let sound = try SplicedSound(cut(path, gap: gap), in: folder)
    #expect(try sound.check().count == 1)
    #expect(sound.copied.allSatisfy { $0 >= 3 * Self.rate })
    #expect(sound.copied.count > 150)
    let rate = Int(Self.rate)
    let original = try PCM.read(path, channels: 2)[0]
    // Encoded at the same place as in the source, to well below the sound's level of about 0.2.
    for place in [rate, 2 * rate, 3 * rate - 2000] {
      let range = place..<place + 1024
      let error = zip(sound.heard[0][range], original[range]).map { abs($0 - $1) }.max()
      #expect(error ?? 1 < 0.05)
    }
  }

  @Test func `a mix is spliced to the same bytes each time`() throws {
    let mix = try TestMix.dip(source(), settings: Self.settings())
    let contents = try (0..<2).map { number in
      let splicer = try #require(
        try SoundSplicer(mix.description) { try FileByteSource(path: $0.name) })
      return try splicer.splice(to: folder.path("\(number).mp4"))?.content
    }
    #expect(contents[0] != nil)
    #expect(contents[0] == contents[1])
  }

  @Test func `a part of a composition is spliced at its place`() throws {
    let path = try source()
    var mix = try TestMix.dip(path, settings: Self.settings())
    mix.description.skippedSamples = 30_000
    let sound = try SplicedSound(mix, in: folder)
    try sound.check()
    #expect(sound.copied.count > 250)
    #expect(sound.mix[0].count == Int(8 * Self.rate) - 30_000)
    let original = try PCM.read(path, channels: 2)[0]
    #expect(sound.heard[0][1000..<5000] == original[31_000..<35_000])
  }

  @Test func `a damaged packet is mixed as silence if packets are verified`() throws {
    let path = try source()
    try PacketPlaces.overwrite([250], of: path)
    var mix = try TestMix.dip(path, settings: Self.settings())
    mix.description.onDamage = .conceal
    mix.description.copiedParts?.isVerified = true
    let splicer = try #require(
      try SoundSplicer(mix.description) { try FileByteSource(path: $0.name) })
    let spliced = try #require(try splicer.splice(to: folder.path("out.mp4")))
    #expect(spliced.concealments.count == 1)
    let heard = try PCM.read(folder.path("out.mp4"), channels: 2)[0]
    // Packet 250 holds the samples from 249 × 1024 on.
    #expect(heard[249 * 1024 + 400..<250 * 1024 - 400].allSatisfy { abs($0) < 0.05 })
    #expect(heard[(260 * 1024)...].contains { abs($0) > 0.2 })
    mix.description.onDamage = nil
    let strict = try #require(
      try SoundSplicer(mix.description) { try FileByteSource(path: $0.name) })
    let error = try #require(throws: MediaError.self) {
      _ = try strict.splice(to: folder.path("out.mp4"))
    }
    #expect(error.code == .soundDamaged)
  }

  @Test func `AAC that is not of low complexity is not spliced`() throws {
    let path = folder.path("main.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=r=44100:d=8:seed=1:a=0.3", "-c:a",
        "aac", "-profile:a", "aac_main", "-ac", "2", "-bitexact", path,
      ])
    let mix = try TestMix.dip(path, settings: Self.settings())
    let splicer = try #require(
      try SoundSplicer(mix.description) { try FileByteSource(path: $0.name) })
    #expect(try splicer.splice(to: folder.path("out.mp4")) == nil)
  }

}
