import Timeline

/// The format that the layers of a job's segments are composited in, and the output's color.
public struct WorkingFormat: Hashable, Codable, Sendable {
  /// Bits per sample: 8 or 10.
  public var bitDepth: Int
  /// The output's color tags, all of which are set.
  public var color: ColorTags
  /// The tags that the encoded stream states; `nil` if they are those of ``color``. Beside copied pictures, they are the
  /// tags of these, which may leave some unstated: players that guess unstated colors differently would otherwise show
  /// other colors after a seam.
  public var statedColor: ColorTags?
  /// The output's HDR metadata.
  public var hdr: HDRMetadata?

  /// Creates a format.
  public init(
    bitDepth: Int, color: ColorTags, statedColor: ColorTags? = nil, hdr: HDRMetadata? = nil
  ) {
    self.bitDepth = bitDepth
    self.color = color
    self.statedColor = statedColor
    self.hdr = hdr
  }
}
