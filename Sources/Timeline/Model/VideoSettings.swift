/// The settings for encoding video.
public struct VideoSettings: Hashable, Codable, Sendable {
  /// The video codecs for output.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// H.264, encoded by libx264.
    case h264 = "h264"
    /// H.265, encoded by libx265.
    case hevc = "hevc"
    /// AV1, encoded by SVT-AV1.
    case av1 = "av1"
    /// VP9, encoded by libvpx.
    case vp9 = "vp9"
    /// ProRes 422 or 4444, encoded by libavcodec's `prores_ks`.
    case prores = "prores"
  }

  /// The codec.
  public var codec: Codec
  /// The constant rate factor, in the codec's ``Codec/crfRange``. Lower values are better. `nil` if a bit rate or a
  /// ProRes profile determines the quality.
  public var crf: Double?
  /// The encoder's speed preset, one of ``Codec/encoderPresets``; `nil` for ProRes.
  public var encoderPreset: String?
  /// The target average of each chunk in bits per second, instead of ``crf``.
  public var bitRate: Int?
  /// The maximum keyframe interval, in frames. `nil` means the encoder's default.
  public var keyFrameInterval: Int?
  /// The codec's profile, one of ``Codec/profiles``. `nil` leaves the choice to the encoder.
  public var profile: String?
  /// The codec's level, one of ``Codec/levels``. `nil` leaves the choice to the encoder.
  public var level: String?
  /// The encoder's tuning, one of ``Codec/tunes``.
  public var tune: String?
  /// Bits per sample: 8 or 10. `nil` means 8, or 10 for ProRes.
  public var bitDepth: Int?
  /// How chroma is sampled; `nil` means 4:2:0. Set only for frames that are encoded beside copied ones.
  public var chroma: Chroma?
  /// The field that is shown first if frames are encoded as interlaced; `nil` means that they are progressive. Set only
  /// for frames that are encoded beside copied ones.
  public var firstField: Field?
  /// Additional encoder options by name, except those in ``RefusedOption``.
  public var options: [String: String]?
  /// The pixel aspect ratio (width divided by height) that the file is tagged with. `nil` means square pixels.
  public var pixelAspectRatio: RationalTime?
  /// The clean aperture that the file is tagged with. `nil` means the whole picture.
  public var cleanAperture: CleanAperture?

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - crf: If this and `bitRate` are `nil`, the codec's CRF for ``ExportPreset/highestQuality`` is used.
  ///   - encoderPreset: `nil` means the codec's default.
  public init(
    codec: Codec = .h264, crf: Double? = nil, encoderPreset: String? = nil, bitRate: Int? = nil,
    keyFrameInterval: Int? = nil, profile: String? = nil, level: String? = nil,
    tune: String? = nil, bitDepth: Int? = nil, options: [String: String]? = nil,
    pixelAspectRatio: RationalTime? = nil, cleanAperture: CleanAperture? = nil
  ) {
    self.codec = codec
    self.crf = crf ?? (bitRate == nil ? codec.crf(for: .high) : nil)
    self.encoderPreset = encoderPreset ?? codec.usualEncoderPreset
    self.bitRate = bitRate
    self.keyFrameInterval = keyFrameInterval
    self.profile = profile
    self.level = level
    self.tune = tune
    self.bitDepth = bitDepth
    self.options = options
    self.pixelAspectRatio = pixelAspectRatio
    self.cleanAperture = cleanAperture
  }

  /// Whether only the encoder can tell if it accepts the settings. It always accepts those of an H.264 preset.
  public var needsEncoderCheck: Bool {
    codec != .h264 || options != nil || profile != nil || level != nil || tune != nil
      || effectiveBitDepth != 8
  }

  /// Whether the output can keep high dynamic range, as H.265 and AV1 can unless 8 bits are requested.
  public var carriesHDR: Bool {
    guard bitDepth != 8 else { return false }
    return codec == .av1 || (codec == .hevc && profile != "main")
  }

  /// The bits per sample for compositing; `nil` if the settings require no more than 8.
  public var workingBitDepth: Int? { codec == .prores ? 10 : bitDepth }

  /// The bits per sample in effect.
  public var effectiveBitDepth: Int { bitDepth ?? (codec == .prores ? 10 : 8) }
}
