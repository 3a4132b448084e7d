import Timeline

/// What the layers of a job's segments are composited in, and its output's colour.
public struct WorkingFormat: Hashable, Codable, Sendable {
  /// Bits a sample: 8 or 10.
  public var bitDepth: Int
  /// The output's colour tags, all of them known.
  public var colour: ColourTags
  /// What the output says of its high dynamic range.
  public var hdr: HDRMetadata?

  /// A format from its parts.
  public init(bitDepth: Int, colour: ColourTags, hdr: HDRMetadata? = nil) {
    self.bitDepth = bitDepth
    self.colour = colour
    self.hdr = hdr
  }
}
