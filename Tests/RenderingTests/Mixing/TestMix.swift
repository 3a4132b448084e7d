import Crypto
import Media
import Planning
import Rendering
import Timeline

/// A mix of files.
struct TestMix {
  var description: MixDescription

  /// A mix that plays one file once from its beginning.
  init(path: String, sampleCount: Int64, settings: AudioSettings = AudioSettings()) throws {
    description = MixDescription(
      sampleCount: sampleCount, settings: settings, sources: [try Self.source(path)],
      inputs: [
        MixInput(
          source: 0, sourceSample: 0, targetSample: 0, sampleCount: sampleCount, volume: Ramps())
      ])
  }

  /// A mix that plays a source for some seconds with a dip of its volume from 3 s to 4 s, and copies the rest.
  static func dip(
    _ path: String, seconds: Int64 = 8, settings: AudioSettings
  ) throws -> TestMix {
    let rate = Int64(settings.sampleRate)
    var mix = try TestMix(path: path, sampleCount: seconds * rate, settings: settings)
    let half = try RationalTime(7, 2)
    mix.description.inputs[0].volume = Ramps([
      .ramp(timeRange: try TimeRange(start: RationalTime(3), end: half), from: 1, to: 0.3),
      .ramp(timeRange: try TimeRange(start: half, end: RationalTime(4)), from: 0.3, to: 1),
    ])
    mix.description.copiedParts = CopiedSoundParts(ranges: [
      CopiedSoundRange(source: 0, sourceSample: 0, targetSample: 0, sampleCount: 3 * rate),
      CopiedSoundRange(
        source: 0, sourceSample: 4 * rate, targetSample: 4 * rate,
        sampleCount: (seconds - 4) * rate),
    ])
    return mix
  }

  static func source(_ path: String) throws -> AudioSource {
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    guard let stream = index.audio.first,
      let digest = Digest(bytes: [UInt8](repeating: 7, count: 32))
    else { throw MediaError(.noAudioStream, "no audio", on: path) }
    return AudioSource(asset: digest, name: path, start: index.start, stream: stream)
  }

  func mixer() throws -> AudioMixer {
    try AudioMixer(mix: description) { try FileByteSource(path: $0.name) }
  }

  /// The whole mix, per channel.
  func samples() throws -> [[Float]] {
    var all = Array(repeating: [Float](), count: description.settings.channels)
    try mixer().forEachBlock { block in
      for channel in all.indices { all[channel] += block[channel] }
    }
    return all
  }
}
