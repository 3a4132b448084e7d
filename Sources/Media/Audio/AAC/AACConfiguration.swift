/// The configuration of low-complexity AAC whose frames hold 1024 samples.
public struct AACConfiguration: Hashable, Sendable {
  /// The number of samples in a frame.
  public static let frameLength: Int64 = 1024

  /// Samples per second.
  public var sampleRate: Int
  /// From 1 to 6, including one for low frequencies.
  public var channels: Int

  private static let sampleRates = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
    7350,
  ]

  /// Creates the configuration in an `AudioSpecificConfig` (ISO/IEC 14496-3, 1.6.2.1). Returns `nil` if it is not low
  /// complexity, if it signals spectral band replication, or if it describes its channels in a program element.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2, bytes[0] >> 3 == 2 else { return nil }
    // frameLengthFlag, dependsOnCoreCoder, extensionFlag
    guard bytes[1] & 0b111 == 0 else { return nil }
    // syncExtensionType 0x2B7 with object type 5, followed by sbrPresentFlag
    if bytes.count >= 5, bytes[2] == 0x56, bytes[3] == 0xE5, bytes[4] & 0x80 != 0 { return nil }
    self.init(
      rateIndex: Int(bytes[0] & 0b111) << 1 | Int(bytes[1] >> 7),
      channelConfiguration: Int(bytes[1] >> 3 & 0b1111))
  }

  /// Creates the configuration in an ADTS header (ISO/IEC 14496-3, 1.A.2.2), and returns the header's length in bytes.
  /// Returns `nil` if the packet does not consist of one header and one frame of low complexity.
  static func inHeader(
    of packet: UnsafeRawBufferPointer
  ) -> (configuration: AACConfiguration, length: Int)? {
    guard let header = ADTSHeader(of: packet),
      let configuration = AACConfiguration(header.configuration)
    else { return nil }
    return (configuration, header.byteCount)
  }

  private init?(rateIndex: Int, channelConfiguration: Int) {
    guard Self.sampleRates.indices.contains(rateIndex), (1...6).contains(channelConfiguration)
    else { return nil }
    sampleRate = Self.sampleRates[rateIndex]
    channels = channelConfiguration
  }
}
