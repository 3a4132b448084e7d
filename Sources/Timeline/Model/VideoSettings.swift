/// How pictures are encoded.
public struct VideoSettings: Hashable, Codable, Sendable {
  /// The codecs that pictures can be encoded with.
  public enum Codec: String, Hashable, Codable, Sendable, CaseIterable {
    /// H.264 by libx264.
    case h264
    /// H.265 by libx265.
    case hevc
    /// AV1 by SVT-AV1.
    case av1
    /// VP9 by libvpx.
    case vp9
    /// ProRes 422 or 4444 by libavcodec's `prores_ks`.
    case prores
  }

  /// The codec.
  public var codec: Codec
  /// The encoder's constant quality, lower being better, in the codec's ``Codec/crfRange``; `nil` if a bit rate or a
  /// ProRes profile decides.
  public var crf: Double?
  /// The encoder's preset for speed by its own name, one of ``Codec/encoderPresets``; `nil` for ProRes.
  public var encoderPreset: String?
  /// The average in bits per second that each segment's chunk aims at, instead of ``crf``.
  public var bitRate: Int?
  /// The most frames from one keyframe to the next; the encoder's own number where `nil`.
  public var keyFrameInterval: Int?
  /// The codec's profile, one of ``Codec/profiles``; chosen by the encoder where `nil`.
  public var profile: String?
  /// The codec's level, one of ``Codec/levels``; chosen by the encoder where `nil`.
  public var level: String?
  /// The encoder's tuning, one of ``Codec/tunes``.
  public var tune: String?
  /// Bits a sample: 8 or 10; 8 where `nil`, for ProRes 10.
  public var bitDepth: Int?
  /// More of the encoder's options by their names, except those that ``RefusedOption`` names.
  public var options: [String: String]?
  /// The width of an output pixel over its height, which the file is tagged with; square where `nil`.
  public var pixelAspectRatio: RationalTime?
  /// The part of the output's pictures that is meant to be seen, which the file is tagged with; `nil` for the whole
  /// picture.
  public var cleanAperture: CleanAperture?

  /// Creates settings.
  ///
  /// - Parameters:
  ///   - crf: where it and `bitRate` are `nil`, the codec's quality for ``ExportPreset/highestQuality``.
  ///   - encoderPreset: the codec's usual one where `nil`.
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

  /// Whether only the encoder can say if it takes the settings: those of a preset for H.264 it always does.
  public var needsEncoderCheck: Bool {
    codec != .h264 || options != nil || profile != nil || level != nil || tune != nil
      || effectiveBitDepth != 8
  }

  /// Whether pictures of high dynamic range can stay so: in H.265 and AV1 unless 8 bits are asked for.
  public var carriesHDR: Bool {
    guard bitDepth != 8 else { return false }
    return codec == .av1 || (codec == .hevc && profile != "main")
  }

  /// Bits a sample that pictures are put together in; `nil` if nothing asks for more than 8.
  public var workingBitDepth: Int? { codec == .prores ? 10 : bitDepth }

  /// Bits a sample in force.
  public var effectiveBitDepth: Int { bitDepth ?? (codec == .prores ? 10 : 8) }
}
