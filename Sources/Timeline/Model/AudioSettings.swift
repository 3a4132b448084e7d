/// How sound is encoded.
public struct AudioSettings: Hashable, Codable, Sendable {
  /// The codecs that sound can be encoded with.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// AAC low complexity by libavcodec.
    case aac
    /// Opus by libopus.
    case opus
    /// FLAC, without loss.
    case flac
    /// Apple Lossless.
    case alac
    /// Samples as they are: linear PCM, little-endian.
    case pcm
  }

  /// The codec.
  public var codec: Codec
  /// Bits per second; `nil` for codecs without loss.
  public var bitRate: Int?
  /// Samples per second.
  public var sampleRate: Int
  /// Channels: 1, 2, or 6 for 5.1.
  public var channels: Int
  /// Bits a sample of codecs without loss: 16 or 24; 16 where `nil`.
  public var bitDepth: Int?

  /// How loud the sound is to be; as loud as it is where `nil`.
  public var loudness: Loudness?

  /// The bits per second where nothing else is said: 64000 a channel in 5.1, else 128000.
  public static func bitRate(channels: Int) -> Int { channels == 6 ? 384_000 : 128_000 }

  /// Creates settings.
  ///
  /// - Parameter bitRate: ``bitRate(channels:)`` where `nil`, unless the codec is without loss.
  public init(
    codec: Codec = .aac, bitRate: Int? = nil, sampleRate: Int = 48_000, channels: Int = 2,
    bitDepth: Int? = nil, loudness: Loudness? = nil
  ) {
    self.codec = codec
    self.bitRate = bitRate ?? (codec.isLossless ? nil : Self.bitRate(channels: channels))
    self.sampleRate = sampleRate
    self.channels = channels
    self.bitDepth = bitDepth
    self.loudness = loudness
  }
}

extension AudioSettings.Codec {
  /// Whether decoding gives back the samples that were encoded.
  public var isLossless: Bool {
    switch self {
    case .aac, .opus: false
    case .flac, .alac, .pcm: true
    }
  }

  /// The samples per second that can be encoded.
  public var sampleRates: [Int] {
    self == .opus ? [8000, 12000, 16000, 24000, 48000] : AudioSettings.sampleRates
  }

  /// The name in messages.
  var shown: String {
    switch self {
    case .aac: "AAC"
    case .opus: "Opus"
    case .flac: "FLAC"
    case .alac: "Apple Lossless"
    case .pcm: "PCM"
    }
  }
}
