/// The length of an MPEG audio frame by its header (ISO/IEC 11172-3, 2.4.1.3, and ISO/IEC 13818-3, 2.4.1.3).
public enum MPEGAudioFrame {
  /// Kilobits per second by index, for layers II and III of MPEG-1, and for both of MPEG-2.
  private static let bitRates: [[Int]] = [
    [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
  ]
  private static let sampleRates = [44_100, 48_000, 32_000]

  /// Whether bytes are exactly one frame of layer II or III.
  public static func isWhole(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > 4, bytes[0] == 0xFF, bytes[1] & 0xE0 == 0xE0 else { return false }
    let (version, layer) = (bytes[1] >> 3 & 3, bytes[1] >> 1 & 3)
    let (rateIndex, sampleIndex) = (Int(bytes[2] >> 4), Int(bytes[2] >> 2 & 3))
    guard version != 1, layer == 1 || layer == 2, (1..<15).contains(rateIndex), sampleIndex < 3
    else { return false }
    let isMPEG1 = version == 3
    let rates = bitRates[isMPEG1 ? (layer == 2 ? 0 : 1) : 2]
    let sampleRate = sampleRates[sampleIndex] / (isMPEG1 ? 1 : version == 2 ? 2 : 4)
    let samples = layer == 1 && !isMPEG1 ? 576 : 1152
    let padding = Int(bytes[2] >> 1 & 1)
    return bytes.count == samples / 8 * rates[rateIndex] * 1000 / sampleRate + padding
  }
}
