import CFFmpeg
import Timeline

/// What decides a video encoder's output besides the pictures.
public struct VideoEncoderSettings: Hashable, Codable, Sendable {
  /// How bits are spent.
  public enum Rate: Hashable, Codable, Sendable {
    /// Constant quality by libx264's rate factor, 0 to 51, lower being better.
    case quality(crf: Double)
    /// An average in bits per second.
    case bitRate(Int)
  }

  /// Width and height in pixels, both even.
  public var size: PixelSize
  /// Seconds from one picture to the next; also the time base of the packets.
  public var frameDuration: RationalTime
  /// How bits are spent.
  public var rate: Rate
  /// libx264's preset, e.g. `medium`.
  public var preset: String
  /// libx264's tuning, e.g. `film`, if any.
  public var tune: String?
  /// The H.264 profile, e.g. `high`; `nil` for the lowest that the preset needs.
  public var profile: String?
  /// The width of a pixel over its height.
  public var pixelAspectRatio: RationalTime
  /// The colour tags that the stream is to carry.
  public var colour: ColourTags
  /// The most pictures from one IDR to the next.
  public var keyframeInterval: Int
  /// Encoder threads; 1 keeps the bytes independent of the host.
  public var threads: Int

  /// Settings from their parts.
  public init(
    size: PixelSize, frameDuration: RationalTime, rate: Rate = .quality(crf: 20),
    preset: String = "medium", tune: String? = nil, profile: String? = nil,
    pixelAspectRatio: RationalTime = RationalTime(1),
    colour: ColourTags = ColourTags(primaries: nil, transfer: nil, matrix: nil, range: "tv"),
    keyframeInterval: Int = 250, threads: Int = 1
  ) {
    self.size = size
    self.frameDuration = frameDuration
    self.rate = rate
    self.preset = preset
    self.tune = tune
    self.profile = profile
    self.pixelAspectRatio = pixelAspectRatio
    self.colour = colour
    self.keyframeInterval = keyframeInterval
    self.threads = threads
  }

  /// The encoder's private options.
  ///
  /// `repeat-headers` keeps the parameter sets in band as well as out of band, `stitchable` keeps them from depending
  /// on the content, and `cpu-independent` keeps the bytes from depending on the processor.
  var options: [String: String] {
    var options = [
      "preset": preset, "forced-idr": "1", "a53cc": "0",
      "x264-params": "repeat-headers=1:stitchable=1:cpu-independent=1:open-gop=0"
        + ":rc-lookahead=\(lookahead)",
    ]
    options["tune"] = tune
    options["profile"] = profile
    if case .quality(let crf) = rate { options["crf"] = "\(crf)" }
    return options
  }

  /// Pictures that rate control looks ahead: the preset's number, but no more than fit in memory beside the rest of a
  /// worker's slot (12 at 1920 × 1080), and never fewer than 10 for it.
  private var lookahead: Int {
    let usual =
      [
        "ultrafast": 0, "superfast": 0, "veryfast": 10, "faster": 20, "fast": 30, "medium": 40,
        "slow": 50,
      ][preset] ?? 60
    let fitting = 12 * 1920 * 1080 / max(size.width * size.height, 1)
    return min(usual, max(fitting, 10))
  }

  func apply(to context: UnsafeMutablePointer<AVCodecContext>) throws(MediaError) {
    let subject = "\(size.width)x\(size.height)"
    guard let width = Int32(exactly: size.width), let height = Int32(exactly: size.height),
      width >= 16, height >= 16, width <= 16384, height <= 16384, width % 2 == 0, height % 2 == 0
    else {
      throw MediaError(
        .invalidSettings, "H.264 cannot have this size", on: subject,
        remedy: "use even sides from 16 to 16384 pixels")
    }
    guard frameDuration > .zero, let timeBase = frameDuration.fraction else {
      throw MediaError(
        .invalidSettings, "the frame duration is not possible",
        on: "\(frameDuration.numerator)/\(frameDuration.denominator) s",
        remedy: "use a positive fraction of 32-bit numbers")
    }
    guard pixelAspectRatio > .zero, let aspect = pixelAspectRatio.fraction else {
      throw MediaError(.invalidSettings, "the pixel aspect ratio is not possible", on: subject)
    }
    guard keyframeInterval > 0, let interval = Int32(exactly: keyframeInterval) else {
      throw MediaError(.invalidSettings, "the keyframe interval is not possible", on: subject)
    }
    context.pointee.width = width
    context.pointee.height = height
    context.pointee.pix_fmt = AV_PIX_FMT_YUV420P
    context.pointee.time_base = timeBase
    context.pointee.framerate = AVRational(num: timeBase.den, den: timeBase.num)
    context.pointee.sample_aspect_ratio = aspect
    context.pointee.gop_size = interval
    context.pointee.thread_count = Int32(max(1, threads))
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    context.pointee.flags |= Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
    context.pointee.color_primaries = colour.libavPrimaries
    context.pointee.color_trc = colour.libavTransfer
    context.pointee.colorspace = colour.libavMatrix
    context.pointee.color_range = colour.libavRange
    if case .bitRate(let rate) = rate { context.pointee.bit_rate = Int64(rate) }
  }
}
