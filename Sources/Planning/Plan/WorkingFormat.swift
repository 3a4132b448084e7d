import Timeline

/// The format that the layers of a job's segments are composited in, and the output's color.
public struct WorkingFormat: Hashable, Codable, Sendable {
  /// Bits per sample: 8 or 10.
  public var bitDepth: Int
  /// The output's color tags, all of which are set.
  public var color: ColorTags
  /// The output's HDR metadata.
  public var hdr: HDRMetadata?

  /// Creates a format.
  public init(bitDepth: Int, color: ColorTags, hdr: HDRMetadata? = nil) {
    self.bitDepth = bitDepth
    self.color = color
    self.hdr = hdr
  }
}
