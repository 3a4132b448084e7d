/// How pictures are encoded.
public struct VideoSettings: Hashable, Codable, Sendable {
  /// The codecs that pictures can be encoded with.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// H.264 by libx264.
    case h264
  }

  /// The codec.
  public var codec: Codec
  /// The constant rate factor of libx264, 0 to 51; lower is better.
  public var crf: Double
  /// The preset of libx264, `ultrafast` to `placebo`.
  public var encoderPreset: String

  /// Settings from their parts.
  public init(codec: Codec = .h264, crf: Double = 20, encoderPreset: String = "medium") {
    self.codec = codec
    self.crf = crf
    self.encoderPreset = encoderPreset
  }
}
