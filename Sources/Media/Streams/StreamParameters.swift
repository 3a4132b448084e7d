import CFFmpeg
import Timeline

/// The coding parameters of a stream that a decoder, a muxer or an index needs.
public final class StreamParameters {
  let pointer: UnsafeMutablePointer<AVCodecParameters>

  /// Creates empty parameters.
  init() throws(MediaError) {
    pointer = try allocated(avcodec_parameters_alloc(), for: "stream parameters")
  }

  /// A copy of libav's parameters.
  init(copying other: UnsafePointer<AVCodecParameters>) throws(MediaError) {
    pointer = try allocated(avcodec_parameters_alloc(), for: "stream parameters")
    try checked(
      avcodec_parameters_copy(pointer, other), .outOfMemory, "cannot copy", on: "stream parameters")
  }

  /// A copy of other parameters.
  public convenience init(copying other: StreamParameters) throws(MediaError) {
    try self.init(copying: other.pointer)
  }

  /// Parameters of a stream that an encoder or a sender describes, such as `h264` or `aac`.
  ///
  /// - Parameters:
  ///   - codec: the codec's name.
  ///   - parameterSets: the out-of-band parameter sets, as in ``parameterSets``.
  /// - Throws: ``MediaError`` with code `unsupportedCodec` or `outOfMemory`.
  public convenience init(codec: String, parameterSets: [UInt8]) throws(MediaError) {
    try self.init()
    guard let descriptor = avcodec_descriptor_get_by_name(codec) else {
      throw MediaError(.unsupportedCodec, "there is no codec of this name", on: codec)
    }
    pointer.pointee.codec_id = descriptor.pointee.id
    pointer.pointee.codec_type = descriptor.pointee.type
    try setParameterSets(parameterSets)
  }

  /// Sets the four-character code for MP4: `hvc1` for H.265, which Apple's players expect, and the muxer's choice for
  /// other codecs.
  public func setMovieTag() { setCodecTag(codec == "hevc" ? "hvc1" : nil) }

  /// Sets the size of the pictures, in coded pixels.
  public func setSize(_ size: PixelSize) {
    pointer.pointee.width = Int32(clamping: size.width)
    pointer.pointee.height = Int32(clamping: size.height)
  }

  /// Sets the samples per second, and the number of channels in their usual layout.
  public func setSound(sampleRate: Int, channels: Int) {
    pointer.pointee.sample_rate = Int32(clamping: sampleRate)
    av_channel_layout_uninit(&pointer.pointee.ch_layout)
    av_channel_layout_default(&pointer.pointee.ch_layout, Int32(clamping: channels))
  }

  deinit {
    var parameters: UnsafeMutablePointer<AVCodecParameters>? = pointer
    avcodec_parameters_free(&parameters)
  }

  /// Whether the stream is video, audio, or something else.
  public var mediaKind: MediaKind {
    switch pointer.pointee.codec_type {
    case AVMEDIA_TYPE_VIDEO: .video
    case AVMEDIA_TYPE_AUDIO: .audio
    default: .other
    }
  }

  /// The codec's name, e.g. `h264`.
  public var codec: String { String(cString: avcodec_get_name(pointer.pointee.codec_id)) }

  /// Width and height in coded pixels; zero for audio.
  public var size: PixelSize {
    PixelSize(width: Int(pointer.pointee.width), height: Int(pointer.pointee.height))
  }

  /// Sets the size, the pixel format and the colors to those of a decoded frame.
  func setPicture(like frame: Frame) {
    let picture = frame.pointer.pointee
    (pointer.pointee.width, pointer.pointee.height) = (picture.width, picture.height)
    pointer.pointee.format = picture.format
    pointer.pointee.color_range = picture.color_range
    pointer.pointee.color_primaries = picture.color_primaries
    pointer.pointee.color_trc = picture.color_trc
    pointer.pointee.color_space = picture.colorspace
  }

  /// The field that is shown first; `nil` if the pictures are progressive, or it is unknown.
  var firstField: VideoSettings.Field? {
    switch pointer.pointee.field_order {
    case AV_FIELD_TT, AV_FIELD_BT: .top
    case AV_FIELD_BB, AV_FIELD_TB: .bottom
    default: nil
    }
  }

  /// The color tags of video.
  var color: ColorTags {
    ColorTags(
      primaries: pointer.pointee.color_primaries, transfer: pointer.pointee.color_trc,
      matrix: pointer.pointee.color_space, range: pointer.pointee.color_range)
  }

  /// The pixel format of video.
  public var pixelFormat: PixelFormat { PixelFormat(rawValue: pointer.pointee.format) }

  /// Samples per second of audio; 0 for video.
  public var sampleRate: Int { Int(pointer.pointee.sample_rate) }

  /// Audio samples in each packet; 0 if unknown, or if their number varies.
  public var samplesPerPacket: Int { Int(pointer.pointee.frame_size) }

  /// Channels of audio; 0 for video.
  public var channels: Int { Int(pointer.pointee.ch_layout.nb_channels) }

  /// Bits per second that the container states, or that libav computes from it; 0 if unknown.
  public var bitRate: Int { Int(pointer.pointee.bit_rate) }

  /// Makes the bit rate unknown, so that a muxer computes it from the packets.
  public func clearBitRate() { pointer.pointee.bit_rate = 0 }

  /// The out-of-band parameter sets (libav's extradata): `avcC` or Annex B for H.264, `esds` payload for AAC.
  public var parameterSets: [UInt8] {
    guard let data = pointer.pointee.extradata else { return [] }
    return [UInt8](UnsafeBufferPointer(start: data, count: Int(pointer.pointee.extradata_size)))
  }

  /// Whether the stream is low-complexity AAC, in which a frame depends only on itself and the one before.
  public var isLowComplexityAAC: Bool {
    pointer.pointee.codec_id == AV_CODEC_ID_AAC && pointer.pointee.profile == FF_PROFILE_AAC_LOW
  }

  /// Replaces the out-of-band parameter sets.
  public func setParameterSets(_ bytes: [UInt8]) throws(MediaError) {
    av_freep(&pointer.pointee.extradata)
    pointer.pointee.extradata_size = 0
    guard !bytes.isEmpty else { return }
    guard let data = av_mallocz(bytes.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
      throw MediaError(.outOfMemory, "cannot allocate memory", on: "parameter sets")
    }
    data.copyMemory(from: bytes, byteCount: bytes.count)
    pointer.pointee.extradata = data.assumingMemoryBound(to: UInt8.self)
    pointer.pointee.extradata_size = Int32(bytes.count)
  }

  /// The width of a pixel divided by its height, if the stream states it.
  public var pixelAspectRatio: RationalTime? {
    RationalTime(positive: pointer.pointee.sample_aspect_ratio)
  }

  /// Sets how many samples decoding puts before the first one, for containers without edit lists.
  public func setEncoderDelay(_ samples: Int) {
    pointer.pointee.initial_padding = Int32(clamping: samples)
  }

  /// The decoders that deliver the alpha of VP8 and VP9, which is stored beside each packet. libav's own drop it.
  private static let alphaDecoders = [AV_CODEC_ID_VP8: "libvpx", AV_CODEC_ID_VP9: "libvpx-vp9"]

  /// Marks the pictures as having alpha if the container does (`alpha_mode` of Matroska and WebM).
  func addAlpha(ofStreamWith metadata: OpaquePointer?) {
    guard Self.alphaDecoders[pointer.pointee.codec_id] != nil,
      let entry = av_dict_get(metadata, "alpha_mode", nil, 0), let value = entry.pointee.value,
      String(cString: value) == "1", pointer.pointee.format == AV_PIX_FMT_YUV420P.rawValue
    else { return }
    pointer.pointee.format = AV_PIX_FMT_YUVA420P.rawValue
  }

  /// The decoder that delivers the alpha as well; `nil` for libav's choice.
  var alphaDecoder: String? {
    pixelFormat.hasAlpha ? Self.alphaDecoders[pointer.pointee.codec_id] : nil
  }

  /// The four-character code of the sample description, e.g. `apcn`.
  var codecTag: String {
    String(
      decoding: (0..<4).map { UInt8(truncatingIfNeeded: pointer.pointee.codec_tag >> ($0 * 8)) },
      as: UTF8.self)
  }

  /// Sets the width of a pixel divided by its height, unless the fraction does not fit in 32 bits.
  public func setPixelAspectRatio(_ ratio: RationalTime) {
    if let fraction = ratio.fraction { pointer.pointee.sample_aspect_ratio = fraction }
  }

  /// The four-character code of the sample description, e.g. `avc1`; `nil` lets the muxer choose.
  public func setCodecTag(_ tag: String?) {
    pointer.pointee.codec_tag = (tag ?? "").utf8.prefix(4).reversed()
      .reduce(0) { $0 << 8 | UInt32($1) }
  }
}

/// The kind of media in a stream.
public enum MediaKind: Hashable, Sendable {
  /// Pictures.
  case video
  /// Sound.
  case audio
  /// Subtitles, data, attachments, and pictures that only illustrate (cover art).
  case other
}
