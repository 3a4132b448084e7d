import Timeline

/// The format that the layers of a job's segments are composited in, and the output's color.
public struct WorkingFormat: Hashable, Codable, Sendable {
  /// Bits per sample: 8 or 10.
  public var bitDepth: Int
  /// The color space of the composited pictures, with all tags set.
  public var color: ColorTags
  /// The tags that the encoded stream states; `nil` for ``color``. Beside copied pictures, these are their tags, some of
  /// which may be missing: players that guess missing tags differently would otherwise show other colors after a seam.
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
