/// The volume of audio tracks over time.
public struct AudioMix: Hashable, Encodable, Sendable {
  /// At most one set of parameters a track; a track without one plays at full volume.
  public var inputParameters: [AudioMixInputParameters]

  /// A mix from its tracks' parameters.
  public init(inputParameters: [AudioMixInputParameters] = []) {
    self.inputParameters = inputParameters
  }
}

/// How one audio track is mixed.
public struct AudioMixInputParameters: Hashable, Encodable, Sendable {
  /// The audio track's id.
  public var track: Int
  /// The gain: 0 is silent, 1 (the default) leaves samples as they are.
  public var volume: Ramps<Double>
  /// The algorithm for the pitch of segments at another speed; `nil` means ``AudioTimePitchAlgorithm/spectral``.
  public var audioTimePitchAlgorithm: AudioTimePitchAlgorithm?
  /// How the track gives way to others; not at all where `nil`.
  public var duck: Ducking?

  /// Parameters for a track.
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
