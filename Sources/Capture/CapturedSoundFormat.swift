/// The format of the samples that a sound card delivers, with interleaved channels.
public struct CapturedSoundFormat: Hashable, Sendable {
  /// The format of a sample. The raw value is libav's name of the PCM codec without `pcm_`.
  public enum Sample: String, Hashable, Sendable, CaseIterable {
    case s16le, s32le
    /// 24 bits in three bytes.
    case s24le
    case f32le, u8

    /// The size of a sample in bytes.
    public var size: Int {
      switch self {
      case .u8: 1
      case .s16le: 2
      case .s24le: 3
      case .s32le, .f32le: 4
      }
    }
  }

  /// In Hz.
  public let sampleRate: Int
  /// The number of channels.
  public let channels: Int
  /// The format of a sample.
  public let sample: Sample

  /// The bytes of one sample of each channel.
  public var bytesPerFrame: Int { channels * sample.size }
}
