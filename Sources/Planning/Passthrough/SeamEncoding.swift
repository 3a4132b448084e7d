import Timeline

/// The encoder settings of frames that are encoded beside copied ones, unless the project sets its own.
///
/// Such frames must look like the source, but they are few, so bits matter less than time: a fast preset with a low
/// rate factor is at least as close to the source as the encoder's usual preset with the usual rate factor. Without
/// B-frames and adaptive quantization, all frames, and all parts of a frame, are equally close, which raises the PSNR
/// at the same size. In H.264 and H.265, `qpmax` kept noisy frames at 42 dB or more; the rate factor alone quantizes them
/// more coarsely. Benchmarks/README.md (Seams) lists the measurements.
struct SeamEncoding {
  let crf: Double?
  let encoderPreset: String?
  /// Other options of the encoder.
  let options: [String: String]
  /// The bit rate that long parts may have, in quarters of the copied streams' highest one; `nil` for no limit.
  private let quartersOfPeak: Int?

  private init(
    _ crf: Double?, _ encoderPreset: String?, options: [String: String] = [:],
    quartersOfPeak: Int? = nil
  ) {
    self.crf = crf
    self.encoderPreset = encoderPreset
    self.options = options
    self.quartersOfPeak = quartersOfPeak
  }

  /// Creates the settings beside those of a project.
  ///
  /// A preset and a rate factor depend on each other, so if the project sets one of them, the other is the usual one.
  ///
  /// - Parameter bitDepth: the bits per sample of the encoded frames.
  init(_ codec: VideoSettings.Codec, bitDepth: Int, beside asked: VideoSettings) {
    self =
      asked.crf == nil && asked.encoderPreset == nil
      ? Self.fast(codec, bitDepth: bitDepth) : Self.usual(codec)
  }

  /// The encoder options that limit the bit rate of long parts to a multiple of `peak`, with a buffer of one second so
  /// that a transition keeps its quality. The encoders exceed the limit rather than the greatest quantizer.
  ///
  /// Encoding compressed frames again at the same quality takes more bits: 1.6 to 2.1 times as many with the usual
  /// settings, and up to 1.8 times that with the fast ones (measured with CABAC and without `qpmax`). Footage with a
  /// very low bit rate counts as having an eighth of the default for its size. AV1 and VP9 have no limit, because
  /// SVT-AV1 and libvpx lower the quality to keep one.
  ///
  /// - Parameter peak: the copied streams' highest bit rate, in bits per second.
  func rateLimit(peak: Int, of size: PixelSize) -> [String: String] {
    guard let quartersOfPeak else { return [:] }
    let limit = max(peak, OutputSettingsAssistant.bitRate(for: size) / 8) * quartersOfPeak / 4
    return ["maxrate": "\(limit)", "bufsize": "\(limit)"]
  }

  /// The settings if the project sets neither preset nor rate factor.
  private static func fast(_ codec: VideoSettings.Codec, bitDepth: Int) -> SeamEncoding {
    var options = ["bframes": "0", "aq-mode": "0"]
    switch codec {
    case .h264:
      // 18 to 39 % less time and 6 to 16 % more bits. The pictures are the same unless `maxrate` applies.
      options["cabac"] = "0"
      // x264 counts six more quantizers for each additional bit, and x265 does not.
      options["qpmax"] = "\(19 + 6 * (bitDepth - 8))"
      return SeamEncoding(17, "superfast", options: options, quartersOfPeak: 12)
    case .hevc:
      options["qpmax"] = "18"
      // x265's cutree would give few bits to frames to which few others refer, such as the last ones before a copy.
      options["cutree"] = "0"
      return SeamEncoding(17, "superfast", options: options, quartersOfPeak: 12)
    case .av1: return SeamEncoding(10, "10")
    // libvpx-vp9 has no faster preset for good quality, and ProRes has no presets.
    case .vp9: return SeamEncoding(12, codec.usualEncoderPreset)
    case .prores: return usual(codec)
    }
  }

  /// The usual preset, with the rate factor at which its output is nearly indistinguishable from the source.
  private static func usual(_ codec: VideoSettings.Codec) -> SeamEncoding {
    let preset = codec.usualEncoderPreset
    return switch codec {
    case .h264: SeamEncoding(18, preset, quartersOfPeak: 7)
    case .hevc: SeamEncoding(20, preset, quartersOfPeak: 7)
    case .av1, .vp9: SeamEncoding(24, preset)
    case .prores: SeamEncoding(nil, preset)
    }
  }
}
