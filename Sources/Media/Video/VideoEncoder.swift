import CFFmpeg
import Timeline

/// What an encoder yields when asked for a packet.
public enum EncoderOutput: Hashable, Sendable {
  /// The packet holds the next packet in decoding order.
  case packet
  /// Nothing before more frames are sent.
  case needsInput
  /// Nothing more, after the end has been signalled.
  case endOfStream
}

/// Encodes pictures as H.264 with libx264, to the same bytes on any host.
///
/// The first picture is an IDR, no picture refers across an IDR (closed GOP), the parameter sets are in band before
/// every IDR and out of band in ``parameters``, and its time base is the frame duration: packet times count frames.
public final class VideoEncoder {
  /// The settings that the encoder was opened with.
  public let settings: VideoEncoderSettings
  /// What a muxer needs; includes the parameter sets (SPS and PPS, Annex B).
  public let parameters: StreamParameters
  private let context: UnsafeMutablePointer<AVCodecContext>
  /// The number of the first picture, and how many packets were received.
  private var firstNumber: Int64?
  private var received: Int64 = 0

  /// Opens the encoder.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` or `encoderFailed`.
  public init(_ settings: VideoEncoderSettings) throws {
    LibavLog.installed
    self.settings = settings
    let subject = "libx264 \(settings.size.width)x\(settings.size.height)"
    guard let codec = avcodec_find_encoder_by_name("libx264") else {
      throw MediaError(
        .encoderFailed, "the encoder is missing", on: "libx264",
        remedy: "install Debian's libavcodec-extra")
    }
    context = try allocated(avcodec_alloc_context3(codec), for: subject)
    do {
      try settings.apply(to: context)
      var options = OptionDictionary(settings.options)
      try checked(
        avcodec_open2(context, codec, &options.pointer), .encoderFailed,
        "cannot open the encoder", on: subject,
        remedy: "check the preset, tune, profile and rate of the export settings")
      guard options.remaining.isEmpty else {
        throw MediaError(
          .invalidSettings, "the encoder does not know its options", on: subject,
          cause: options.remaining.joined(separator: ", "))
      }
      let made = try StreamParameters()
      try checked(
        avcodec_parameters_from_context(made.pointer, context), .encoderFailed,
        "cannot read the encoder's parameters", on: subject)
      // The last property to be set: were it set before a throw, `deinit` would free the context too.
      parameters = made
    } catch {
      var failed: UnsafeMutablePointer<AVCodecContext>? = context
      avcodec_free_context(&failed)
      throw error
    }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = context
    avcodec_free_context(&context)
  }

  /// Seconds per tick of the packets' times: the frame duration.
  public var timeBase: RationalTime { settings.frameDuration }

  /// The parameter sets (SPS and PPS) with Annex B start codes.
  public var parameterSets: [UInt8] { parameters.parameterSets }

  /// Sends a picture as frame `number`; its pixels are shared, not copied. `nil` says that there are no more.
  ///
  /// Call ``receive(into:)`` until it needs input in between.
  ///
  /// - Precondition: numbers increase by one, from any start.
  public func send(_ frame: Frame?, number: Int64 = 0) throws {
    guard let frame else {
      try check(avcodec_send_frame(context, nil))
      return
    }
    guard frame.width == settings.size.width, frame.height == settings.size.height,
      frame.pixelFormat == .yuv420p
    else {
      throw MediaError(
        .encoderFailed, "the encoder takes \(settings.size.width)x\(settings.size.height) yuv420p",
        on: "a picture of \(frame.width)x\(frame.height) \(frame.pixelFormat.name)")
    }
    let input = try Frame(sharing: frame)
    input.shedDecoderTraces()
    input.time = number
    if firstNumber == nil { firstNumber = number }
    input.pointer.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
    try check(avcodec_send_frame(context, input.pointer))
  }

  /// Receives the next packet, if the pictures sent so far yield one.
  public func receive(into packet: Packet) throws -> EncoderOutput {
    packet.clear()
    let status = avcodec_receive_packet(context, packet.pointer)
    if status >= 0 {
      packet.timeBase = timeBase
      packet.duration = 1
      // libx264 starts decoding times late by its delay only if it is sent more pictures than that; chunks of any
      // length must join.
      packet.decodingTime = (firstNumber ?? 0) + received - Int64(context.pointee.has_b_frames)
      received += 1
      return .packet
    }
    let error = LibavError(status: status)
    if error.isTryAgain { return .needsInput }
    if error.isEndOfFile { return .endOfStream }
    try check(status)
    return .endOfStream
  }

  private func check(_ status: Int32) throws {
    try checked(
      status, .encoderFailed, "cannot encode a picture",
      on: "libx264 \(settings.size.width)x\(settings.size.height)")
  }
}

extension Frame {
  /// Takes off what a decoder noted and an encoder would act on: picture type, fields, captions and other side data.
  fileprivate func shedDecoderTraces() {
    pointer.pointee.pict_type = AV_PICTURE_TYPE_NONE
    pointer.pointee.key_frame = 0
    pointer.pointee.interlaced_frame = 0
    pointer.pointee.top_field_first = 0
    pointer.pointee.repeat_pict = 0
    while pointer.pointee.nb_side_data > 0, let first = pointer.pointee.side_data[0] {
      av_frame_remove_side_data(pointer, first.pointee.type)
    }
    av_dict_free(&pointer.pointee.metadata)
  }
}
