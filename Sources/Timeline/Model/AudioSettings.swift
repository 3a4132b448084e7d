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
  /// Channels: 1, 2, or 6 for 5.1.
  public var channels: Int
  /// How loud the sound is to be; as loud as it is where `nil`.
  public var loudness: Loudness?

  /// The bits per second where nothing else is said: 64000 a channel in 5.1, else 128000.
  public static func bitRate(channels: Int) -> Int { channels == 6 ? 384_000 : 128_000 }

  /// Settings from their parts.
  ///
  /// - Parameter bitRate: ``bitRate(channels:)`` where `nil`.
  public init(
    codec: Codec = .aac, bitRate: Int? = nil, sampleRate: Int = 48_000, channels: Int = 2,
    loudness: Loudness? = nil
  ) {
    self.codec = codec
    self.bitRate = bitRate ?? Self.bitRate(channels: channels)
    self.sampleRate = sampleRate
    self.channels = channels
    self.loudness = loudness
  }
}
