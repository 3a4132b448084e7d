import Timeline

/// The format that the layers of a job's segments are composited in, and the output's colour.
public struct WorkingFormat: Hashable, Codable, Sendable {
  /// Bits a sample: 8 or 10.
  public var bitDepth: Int
  /// The output's colour tags, all of them known.
  public var colour: ColourTags
  /// The output's HDR metadata.
  public var hdr: HDRMetadata?

  /// Creates a format.
  public init(bitDepth: Int, colour: ColourTags, hdr: HDRMetadata? = nil) {
    self.bitDepth = bitDepth
    self.colour = colour
    self.hdr = hdr
  }
}
