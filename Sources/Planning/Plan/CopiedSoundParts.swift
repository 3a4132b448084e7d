/// The parts of a mix whose packets are copied if their places allow that; everything else is mixed and encoded.
public struct CopiedSoundParts: Hashable, Codable, Sendable {
  /// The parts in order of time.
  public var ranges: [CopiedSoundRange]
  /// Whether the file has an edit list, which hides what comes before its first sample. Without one, only the encoder's
  /// own delay may come before it.
  public var hasEditList: Bool
  /// Whether the packets are decoded, so that damage in them is treated like damage in other sound.
  public var isVerified: Bool

  /// The ranges must be in order of time and must not overlap.
  public init(ranges: [CopiedSoundRange], hasEditList: Bool = true, isVerified: Bool = false) {
    self.ranges = ranges
    self.hasEditList = hasEditList
    self.isVerified = isVerified
  }
}
