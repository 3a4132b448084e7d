/// How the preset `automatic` makes a file, once its media are known.
public enum FormatChoice: Hashable, Codable, Sendable {
  /// The output continues a format, whose packets are copied wherever possible.
  case continued(ContinuedFormat)
  /// Every frame is encoded, as with the preset `highestQuality`.
  case encoded(because: FormatObstacle)
}

/// The format of a source that an output continues.
public struct ContinuedFormat: Hashable, Codable, Sendable {
  /// The name of an asset with the format.
  public var asset: String
  /// The index among the asset's video streams.
  public var trackIndex: Int
  /// The size of its stored pictures, in pixels.
  public var size: PixelSize
  /// The length of its frames, in seconds.
  public var frameDuration: RationalTime
  /// Whether pictures are joined as they are stored, so that the file states their rotation and pixel aspect ratio.
  /// Otherwise, stored pictures of this format look like the output's.
  public var isStored: Bool

  /// Creates a format.
  public init(
    asset: String, trackIndex: Int, size: PixelSize, frameDuration: RationalTime, isStored: Bool
  ) {
    self.asset = asset
    self.trackIndex = trackIndex
    self.size = size
    self.frameDuration = frameDuration
    self.isStored = isStored
  }
}

/// A reason why the preset `automatic` encodes every frame.
public enum FormatObstacle: String, Hashable, Codable, Sendable, CaseIterable {
  /// The project shows no video.
  case nothingMoves = "nothingMoves"
  /// No encoder continues the codec.
  case codec = "codec"
  /// The file type cannot contain the codec, or state the rotation.
  case fileType = "fileType"
  /// The project sets a size that no footage has.
  case size = "size"
  /// The project sets a frame rate that no footage of its size has.
  case rate = "rate"
  /// The frame rate varies, or is not valid for an output.
  case variableRate = "variableRate"
  /// The footage is interlaced, which `automatic` does not continue.
  case interlaced = "interlaced"
  /// The footage is rotated or has pixels that are not square, and the project has other pictures or directions.
  case turned = "turned"
  /// The footage has a clean aperture, which many players ignore.
  case aperture = "aperture"
  /// The footage has transparent parts.
  case alpha = "alpha"
  /// The footage has high dynamic range, and other footage has a different range.
  case dynamicRange = "dynamicRange"
  /// No encoder supports the format of parts that cannot be copied.
  case encoder = "encoder"
  /// The parts cannot share the one sample description that the project requires.
  case compatibility = "compatibility"
  /// Too few frames can be copied.
  case fewFrames = "fewFrames"
  /// The parts cannot be laid out in one file for another reason.
  case layout = "layout"
}
