extension ExportSettings {
  /// The estimated length of a file, in bytes.
  ///
  /// If a bit rate or a profile is set, the estimate follows it. The bit rate of constant quality depends on the
  /// footage. The estimate assumes ordinary footage, and may be wrong by a factor of three either way.
  ///
  /// - Parameters:
  ///   - size: The output's size in pixels; `nil` for an audio-only file.
  ///   - frameDuration: The frame duration, in seconds.
  ///   - duration: The duration of the file, in seconds.
  ///   - hasSound: Whether the file has audio.
  public func estimatedLength(
    size: PixelSize?, frameDuration: RationalTime, duration: RationalTime, hasSound: Bool
  ) -> Int {
    var bitsPerSecond = hasSound ? audio.estimatedBitRate : 0
    if let size, !isAudioOnly {
      bitsPerSecond += video.estimatedBitRate(size: size, frameDuration: frameDuration)
    }
    let bytes = Int(bitsPerSecond * duration.seconds / 8)
    return fileLengthLimit.map { min($0, bytes) } ?? bytes
  }
}

extension VideoSettings {
  /// The expected bit rate of the video, in bits per second.
  fileprivate func estimatedBitRate(size: PixelSize, frameDuration: RationalTime) -> Double {
    if let bitRate { return Double(bitRate) }
    let pixels = Double(size.width * size.height) / frameDuration.seconds
    return pixels * bitsPerPixel
  }

  /// The expected number of bits per pixel. For ProRes: Apple's data rates at 1920 × 1080 and 29.97 frames per second
  /// ("Apple ProRes White Paper"). For other codecs: the rate of the default encoder preset for ordinary footage,
  /// which halves with every 6 (H.264, H.265) or 10 (AV1, VP9) steps of CRF.
  private var bitsPerPixel: Double {
    switch codec {
    case .prores:
      let megabits = [
        "proxy": 45.0, "lt": 102, "standard": 147, "hq": 220, "4444": 330, "4444xq": 500,
      ]
      return (megabits[profile ?? "standard"] ?? 147) * 1e6 / (1920 * 1080 * 30 / 1.001)
    case .h264: return 0.1 * Self.powerOfTwo((20 - (crf ?? 20)) / 6)
    case .hevc: return 0.07 * Self.powerOfTwo((22 - (crf ?? 22)) / 6)
    case .av1, .vp9: return 0.06 * Self.powerOfTwo((28 - (crf ?? 28)) / 10)
    }
  }

  /// An approximate power of 2, which is sufficient for an estimate.
  private static func powerOfTwo(_ exponent: Double) -> Double {
    let whole = exponent.rounded(.down)
    let rest = exponent - whole
    let scale = Double(sign: .plus, exponent: Int(whole), significand: 1)
    return scale * (1 + rest * (0.6565 + 0.3435 * rest))
  }
}

extension AudioSettings {
  /// The expected bit rate of the audio, in bits per second. Lossless compression is assumed to save 40 percent.
  fileprivate var estimatedBitRate: Double {
    if let bitRate { return Double(bitRate) }
    let samples = Double(sampleRate * channels * (bitDepth ?? 16))
    return codec == .pcm ? samples : samples * 0.6
  }
}
