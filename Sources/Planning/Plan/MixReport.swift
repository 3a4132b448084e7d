/// What became of a job's sound.
public struct MixReport: Hashable, Codable, Sendable {
  /// What became of its loudness, if the project asks for one.
  public var loudness: LoudnessReport?
  /// The damaged sound that is silent.
  public var concealments: [Concealment]

  /// A report from its parts.
  public init(loudness: LoudnessReport? = nil, concealments: [Concealment] = []) {
    self.loudness = loudness
    self.concealments = concealments
  }
}
