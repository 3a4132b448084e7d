/// How sound is encoded.
public struct AudioSettings: Hashable, Codable, Sendable {
  /// The codecs that sound can be encoded with.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// AAC low complexity by libavcodec.
    case aac
  }

  /// The codec.
  public var codec: Codec
  /// Bits per second.
  public var bitRate: Int
  /// Samples per second.
  public var sampleRate: Int
  /// Channels: 1 or 2.
  public var channels: Int

  /// Settings from their parts.
  public init(
    codec: Codec = .aac, bitRate: Int = 128_000, sampleRate: Int = 48_000, channels: Int = 2
  ) {
    self.codec = codec
    self.bitRate = bitRate
    self.sampleRate = sampleRate
    self.channels = channels
  }
}
