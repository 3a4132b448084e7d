/// The volume of audio tracks over time.
public struct AudioMix: Hashable, Encodable, Sendable {
  /// The parameters, at most one set per track. A track without parameters plays at full volume.
  public var inputParameters: [AudioMixInputParameters]

  /// Creates a mix from the parameters of its tracks.
  public init(inputParameters: [AudioMixInputParameters] = []) {
    self.inputParameters = inputParameters
  }
}

/// The mix parameters of one audio track.
public struct AudioMixInputParameters: Hashable, Encodable, Sendable {
  /// The audio track's id.
  public var track: Int
  /// The gain: 0 is silent, 1 (the default) leaves samples unchanged.
  public var volume: Ramps<Double>
  /// The pitch algorithm for segments with a speed other than 1. `nil` means ``AudioTimePitchAlgorithm/spectral``.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm?
  /// How the track is ducked under others. `nil` means not at all.
  public var duck: Ducking?

  /// Creates parameters for a track.
  public init(
    track: Int, volume: Ramps<Double> = Ramps(),
    audioTimePitchAlgorithm: AudioTimePitchAlgorithm? = nil, duck: Ducking? = nil
  ) {
    self.track = track
    self.volume = volume
    self.audioTimePitchAlgorithm = audioTimePitchAlgorithm
    self.duck = duck
  }
}
