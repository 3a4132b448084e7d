extension ExportSettings {
  /// About how many bytes a file has.
  ///
  /// Where a bit rate or a profile decides, it is what is asked for; constant quality depends on the pictures, and is
  /// taken as what ordinary footage needs, which may be off by a factor of three either way.
  ///
  /// - Parameters:
  ///   - size: the output's size in pixels; `nil` for sound alone.
  ///   - frameDuration: the length of one frame, in seconds.
  ///   - duration: the file's length, in seconds.
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
  /// Bits a second that an output is expected to take.
  fileprivate func estimatedBitRate(size: PixelSize, frameDuration: RationalTime) -> Double {
    if let bitRate { return Double(bitRate) }
    let pixels = Double(size.width * size.height) / frameDuration.seconds
    return pixels * bitsPerPixel
  }

  /// Of ProRes, Apple's data rates at 1920 × 1080 and 29.97 frames a second ("Apple ProRes White Paper"); of others,
  /// what the usual preset takes for ordinary footage, halved by as many steps of quality as the codec needs for that.
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

  /// 2 to a power, which need not be exact: no more than an estimate hangs on it.
  private static func powerOfTwo(_ exponent: Double) -> Double {
    let whole = exponent.rounded(.down)
    let rest = exponent - whole
    let scale = Double(sign: .plus, exponent: Int(whole), significand: 1)
    return scale * (1 + rest * (0.6565 + 0.3435 * rest))
  }
}

extension AudioSettings {
  /// Bits a second that an output is expected to take; what is compressed without loss, six tenths of its samples.
  fileprivate var estimatedBitRate: Double {
    if let bitRate { return Double(bitRate) }
    let samples = Double(sampleRate * channels * (bitDepth ?? 16))
    return codec == .pcm ? samples : samples * 0.6
  }
}
