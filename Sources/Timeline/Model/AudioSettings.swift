/// The settings for encoding audio.
public struct AudioSettings: Hashable, Codable, Sendable {
  /// The audio codecs for output.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// AAC low complexity, encoded by libavcodec.
    case aac = "aac"
    /// Opus, encoded by libopus.
    case opus = "opus"
    /// FLAC, which is lossless.
    case flac = "flac"
    /// Apple Lossless.
    case alac = "alac"
    /// Uncompressed samples: linear PCM, little-endian.
    case pcm = "pcm"
  }

  /// The codec.
  public var codec: Codec
  /// Bits per second; `nil` for lossless codecs.
  public var bitRate: Int?
  /// Samples per second.
  public var sampleRate: Int
  /// The number of channels: 1, 2, or 6 for 5.1.
  public var channels: Int
  /// Bits per sample of lossless codecs: 16 or 24. `nil` means 16.
  public var bitDepth: Int?

  /// The target loudness. `nil` leaves the loudness unchanged.
  public var loudness: Loudness?

  /// The default bit rate in bits per second: 64000 per channel for 5.1, otherwise 128000 in total.
  public static func bitRate(channels: Int) -> Int { channels == 6 ? 384_000 : 128_000 }

  /// Creates settings.
  ///
  /// - Parameter bitRate: The bit rate. `nil` means ``bitRate(channels:)``, unless the codec is lossless.
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

extension AudioSettings {
  /// The sample rates of AAC, ISO/IEC 14496-3 table 1.18.
  public static let sampleRates = [
    8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000,
  ]
}

extension AudioSettings.Codec {
  /// Whether decoding restores the exact samples.
  public var isLossless: Bool {
    switch self {
    case .aac, .opus: false
    case .flac, .alac, .pcm: true
    }
  }

  /// The supported sample rates.
  public var sampleRates: [Int] {
    self == .opus ? [8000, 12000, 16000, 24000, 48000] : AudioSettings.sampleRates
  }

  /// The name in messages.
  package var shown: String {
    switch self {
    case .aac: "AAC"
    case .opus: "Opus"
    case .flac: "FLAC"
    case .alac: "Apple Lossless"
    case .pcm: "PCM"
    }
  }
}
