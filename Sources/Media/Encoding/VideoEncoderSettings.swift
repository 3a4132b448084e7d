import CFFmpeg
import Timeline

/// The settings that decide a video encoder's output, together with the pictures.
public struct VideoEncoderSettings: Hashable, Codable, Sendable {
  /// How the encoder allocates bits.
  public enum Rate: Hashable, Codable, Sendable {
    /// Constant quality by the encoder's rate factor; lower is better.
    case quality(crf: Double)
    /// An average in bits per second.
    case bitRate(Int)
    /// The rate of the profile, for ProRes.
    case profile
  }

  /// The codec.
  public var codec: VideoSettings.Codec
  /// Width and height in pixels, both even.
  public var size: PixelSize
  /// Seconds from one picture to the next; also the time base of the packets.
  public var frameDuration: RationalTime
  /// How the encoder allocates bits.
  public var rate: Rate
  /// The encoder's preset, e.g. `medium`; empty if the encoder has none.
  public var preset: String
  /// The encoder's tuning, e.g. `film`, if any.
  public var tune: String?
  /// The codec's profile, e.g. `high`; `nil` for the lowest that the preset needs.
  public var profile: String?
  /// The codec's level; `nil` for the lowest that suffices.
  public var level: String?
  /// Bits per sample: 8 or 10.
  public var bitDepth: Int
  /// How chroma is sampled, in H.264 and H.265; `nil` means 4:2:0.
  public var chroma: VideoSettings.Chroma?
  /// The field that is shown first if pictures are interlaced, in H.264 and ProRes; `nil` means progressive.
  public var firstField: VideoSettings.Field?
  /// The width of a pixel divided by its height.
  public var pixelAspectRatio: RationalTime
  /// The stream's color tags.
  public var color: ColorTags
  /// The stream's HDR metadata, in H.265 and AV1.
  public var hdr: HDRMetadata?
  /// The most pictures from one keyframe to the next.
  public var keyframeInterval: Int
  /// Additional encoder options by name.
  public var more: [String: String]
  /// Encoder threads; 1 keeps the bytes independent of the host.
  public var threads: Int

  /// Creates settings.
  public init(
    codec: VideoSettings.Codec = .h264, size: PixelSize, frameDuration: RationalTime,
    rate: Rate = .quality(crf: 20), preset: String = "medium", tune: String? = nil,
    profile: String? = nil, level: String? = nil, bitDepth: Int = 8,
    pixelAspectRatio: RationalTime = RationalTime(1),
    color: ColorTags = ColorTags(primaries: nil, transfer: nil, matrix: nil, range: "tv"),
    hdr: HDRMetadata? = nil, keyframeInterval: Int = 250, more: [String: String] = [:],
    threads: Int = 1
  ) {
    self.codec = codec
    self.size = size
    self.frameDuration = frameDuration
    self.rate = rate
    self.preset = preset
    self.tune = tune
    self.profile = profile
    self.level = level
    self.bitDepth = bitDepth
    self.pixelAspectRatio = pixelAspectRatio
    self.color = color
    self.hdr = hdr
    self.keyframeInterval = keyframeInterval
    self.more = more
    self.threads = threads
  }

  /// Creates the settings for an output from a project's video settings.
  ///
  /// - Parameter bitDepth: bits per sample; `nil` for those of the video settings.
  public init(
    _ video: VideoSettings, size: PixelSize, frameDuration: RationalTime, color: ColorTags,
    bitDepth: Int? = nil, hdr: HDRMetadata? = nil
  ) {
    let rate =
      video.bitRate.map { Rate.bitRate($0) } ?? video.crf.map { Rate.quality(crf: $0) } ?? .profile
    self.init(
      codec: video.codec, size: size, frameDuration: frameDuration, rate: rate,
      preset: video.encoderPreset ?? "", tune: video.tune, profile: video.profile,
      level: video.level, bitDepth: bitDepth ?? video.effectiveBitDepth,
      pixelAspectRatio: video.pixelAspectRatio ?? RationalTime(1), color: color, hdr: hdr,
      keyframeInterval: video.keyFrameInterval ?? 250, more: video.options ?? [:])
    (chroma, firstField) = (video.chroma, video.firstField)
  }

  /// The layout of the pictures that the encoder expects.
  public var pixelFormat: PixelFormat {
    switch (codec, chroma, bitDepth) {
    case (.prores, _, _): profile?.hasPrefix("4444") == true ? .yuv444p10 : .yuv422p10
    case (_, nil, 8): .yuv420p
    case (_, nil, _): .yuv420p10
    case (_, .half, 8): PixelFormat(AV_PIX_FMT_YUV422P)
    case (_, .half, _): .yuv422p10
    case (_, .full, 8): PixelFormat(AV_PIX_FMT_YUV444P)
    case (_, .full, _): .yuv444p10
    }
  }

  /// The chroma location of the pictures that the encoder expects: left, unless the options of AV1 say otherwise.
  public var chromaSite: ChromaSite {
    codec == .av1 && more["chroma-sample-position"] == "topleft" ? .topLeft : .left
  }

  /// The libav muxer for a chunk of the codec.
  public var chunkFormat: String { codec == .prores ? "mov" : "mp4" }

  /// The subject of error messages.
  var subject: String { "\(codec.encoderName) \(size.width)x\(size.height)" }

  func apply(to context: UnsafeMutablePointer<AVCodecContext>) throws(MediaError) {
    let subject = "\(size.width)x\(size.height)"
    guard let width = Int32(exactly: size.width), let height = Int32(exactly: size.height),
      width >= 16, height >= 16, width <= 16384, height <= 16384, width % 2 == 0, height % 2 == 0
    else {
      throw MediaError(
        .invalidSettings, "the encoders do not support this size", on: subject,
        remedy: "use an even width and height from 16 to 16384 pixels")
    }
    guard frameDuration > .zero, let timeBase = frameDuration.fraction else {
      throw MediaError(
        .invalidSettings, "invalid frame duration",
        on: "\(frameDuration.numerator)/\(frameDuration.denominator) s",
        remedy: "use a positive fraction of two 32-bit integers")
    }
    guard pixelAspectRatio > .zero, let aspect = pixelAspectRatio.fraction else {
      throw MediaError(.invalidSettings, "invalid pixel aspect ratio", on: subject)
    }
    guard keyframeInterval > 0, let interval = Int32(exactly: keyframeInterval) else {
      throw MediaError(.invalidSettings, "invalid keyframe interval", on: subject)
    }
    context.pointee.width = width
    context.pointee.height = height
    context.pointee.pix_fmt = pixelFormat.libav
    context.pointee.time_base = timeBase
    context.pointee.framerate = AVRational(num: timeBase.den, den: timeBase.num)
    context.pointee.sample_aspect_ratio = aspect
    context.pointee.gop_size = interval
    context.pointee.thread_count = Int32(max(1, threads))
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    context.pointee.flags |= Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
    if let firstField {
      context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT
      context.pointee.field_order = firstField == .top ? AV_FIELD_TT : AV_FIELD_BB
    }
    context.pointee.color_primaries = color.libavPrimaries
    context.pointee.color_trc = color.libavTransfer
    context.pointee.colorspace = color.libavMatrix
    context.pointee.color_range = color.libavRange
    if case .bitRate(let rate) = rate { context.pointee.bit_rate = Int64(rate) }
  }
}
