import Crypto
import Timeline

/// Everything that the mixer needs to make a job's sound.
public struct MixDescription: Hashable, Codable, Sendable {
  /// The number of samples per channel at the settings' rate, including skipped samples.
  public var sampleCount: Int64
  /// How the mix is encoded.
  public var settings: AudioSettings
  /// The assets' streams that the inputs play.
  public var sources: [AudioSource]
  /// The inputs with their times; overlapping inputs add up.
  public var inputs: [MixInput]
  /// The inputs that are ducked under others; `nil` if there are none.
  public var ducking: [MixDucking]?
  /// The number of samples that are left out at the start, because only a part of the composition is exported.
  public var skippedSamples: Int64?
  /// The sound that is copied instead, if its packets allow that; `nil` if the sound has to be mixed.
  public var copied: CopiedSound?
  /// The parts that are copied if the sound as a whole is not; `nil` if everything is mixed.
  public var copiedParts: CopiedSoundParts?
  /// ``DamagePolicy/conceal`` if damaged sound is silent; `nil` if it is an error.
  public var onDamage: DamagePolicy?

  /// Creates a description.
  public init(
    sampleCount: Int64, settings: AudioSettings, sources: [AudioSource], inputs: [MixInput],
    ducking: [MixDucking]? = nil
  ) {
    self.sampleCount = sampleCount
    self.settings = settings
    self.sources = sources
    self.inputs = inputs
    self.ducking = ducking
  }

  /// The length of the file's sound in seconds.
  public var duration: RationalTime {
    get throws(TimeError) {
      try RationalTime(max(sampleCount - (skippedSamples ?? 0), 0), Int64(settings.sampleRate))
    }
  }

  /// The mix without its first samples; `nil` if nothing plays after them.
  ///
  /// Earlier inputs stay in the description, because they may duck other inputs or lead into audible ones.
  func skipping(_ samples: Int64) -> MixDescription? {
    guard samples > 0 else { return self }
    guard inputs.contains(where: { $0.targetSample + $0.sampleCount > samples }) else { return nil }
    var mix = self
    mix.skippedSamples = samples
    return mix
  }
}

/// Inputs of a mix that are ducked under others.
public struct MixDucking: Hashable, Codable, Sendable {
  /// The indexes of the ducked inputs in ``MixDescription/inputs``.
  public var inputs: [Int]
  /// The indexes of the inputs that they are ducked under.
  public var under: [Int]
  /// The settings; their list of tracks is not used here.
  public var ducking: Ducking

  /// Creates ducking.
  public init(inputs: [Int], under: [Int], ducking: Ducking) {
    self.inputs = inputs
    self.under = under
    self.ducking = ducking
  }
}

/// An audio stream of an asset.
public struct AudioSource: Hashable, Codable, Sendable {
  /// The asset's SHA-256.
  public var asset: Digest
  /// The asset's name in the project, for messages.
  public var name: String
  /// The asset's time zero on the container's clock, in seconds.
  public var start: RationalTime
  /// The stream.
  public var stream: AudioStream

  /// Creates a source.
  public init(asset: Digest, name: String, start: RationalTime, stream: AudioStream) {
    self.asset = asset
    self.name = name
    self.start = start
    self.stream = stream
  }
}

/// A range of a source placed in the mix.
public struct MixInput: Hashable, Codable, Sendable {
  /// The index of the stream in ``MixDescription/sources``.
  public var source: Int
  /// The first sample of the source, on the mix's sample grid, counted from the asset's time zero.
  public var sourceSample: Int64
  /// The first sample of the mix.
  public var targetSample: Int64
  /// The number of samples.
  public var sampleCount: Int64
  /// The gain over the composition's time, 1 by default.
  public var volume: Ramps<Double>
  /// How the source plays at changed speed; `nil` if it plays at its own speed.
  public var timeMap: TimeMap?

  /// Creates an input.
  public init(
    source: Int, sourceSample: Int64, targetSample: Int64, sampleCount: Int64,
    volume: Ramps<Double>, timeMap: TimeMap? = nil
  ) {
    self.source = source
    self.sourceSample = sourceSample
    self.targetSample = targetSample
    self.sampleCount = sampleCount
    self.volume = volume
    self.timeMap = timeMap
  }
}
