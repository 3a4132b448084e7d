import CFFmpeg
import Glibc
import Timeline

/// The result of requesting a packet from an encoder.
public enum EncoderOutput: Hashable, Sendable {
  /// The packet now holds the next packet in decoding order.
  case packet
  /// The encoder needs more frames before it can deliver a packet.
  case needsInput
  /// The end was signaled, and all packets were delivered.
  case endOfStream
}

/// Encodes pictures with the codec of its settings. The same pictures yield the same bytes on any host.
///
/// The first picture is a keyframe, and no picture refers across a keyframe (closed GOP). The parameter sets of H.264
/// and H.265 are in band before every keyframe, and out of band in ``parameters``. The time base is the frame duration:
/// packet times count frames.
public final class VideoEncoder {
  /// The settings that the encoder was opened with.
  public let settings: VideoEncoderSettings
  private let encoder: EncoderContext
  /// The number of pictures by which a packet may be decoded before it is presented.
  private let delay: Int64
  /// The number of the first picture, and the number of packets received.
  private var firstNumber: Int64?
  private var received: Int64 = 0
  /// Whether the end of the pictures was signaled.
  private var hasEnded = false

  /// Opens the encoder.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` or `encoderFailed`.
  public init(_ settings: VideoEncoderSettings) throws {
    self.settings = settings
    Self.silence(settings.codec)
    encoder = try EncoderContext(
      settings.codec.encoderName, subject: settings.subject, options: settings.options
    ) { context throws(MediaError) in
      try settings.apply(to: context)
    }
    delay =
      switch settings.codec {
      case .h264: Int64(encoder.pointer.pointee.has_b_frames)
      // libx265 reorders by at most two pictures (a pyramid of B-frames), and libavcodec does not report by how many.
      case .hevc: 2
      // These encoders output packets in presentation order.
      case .av1, .vp9, .prores: 0
      }
  }

  /// Limits the output of a codec's encoder on standard error to errors, by an environment variable.
  ///
  /// Opening an encoder does this, too. It must not happen while another thread reads the environment.
  package static func silence(_ codec: VideoSettings.Codec) {
    if codec == .av1 { quiet }
  }

  private static let quiet: Void = { setenv("SVT_LOG", "1", 0) }()

  private var context: UnsafeMutablePointer<AVCodecContext> { encoder.pointer }

  /// The stream parameters for a muxer, including the parameter sets.
  public var parameters: StreamParameters { encoder.parameters }

  /// Seconds per tick of the packets' times: the frame duration.
  public var timeBase: RationalTime { settings.frameDuration }

  /// The parameter sets: with Annex B start codes for H.264 and H.265, the sequence header for AV1, empty for others.
  public var parameterSets: [UInt8] { parameters.parameterSets }

  /// Sends a picture as frame `number`, or `nil` at the end. The pixels are shared, not copied.
  ///
  /// After each picture, call ``receive(into:)`` until it needs input.
  ///
  /// - Parameter isKeyframe: whether the picture must be a keyframe.
  /// - Precondition: numbers increase by one, from any start.
  public func send(
    _ frame: Frame?, number: Int64 = 0, asKeyframe isKeyframe: Bool = false
  ) throws {
    guard let frame else {
      hasEnded = true
      try check(avcodec_send_frame(context, nil))
      return
    }
    guard frame.width == settings.size.width, frame.height == settings.size.height,
      frame.pixelFormat == settings.pixelFormat || isInRange(frame)
    else {
      throw MediaError(
        .encoderFailed,
        "the encoder expects \(settings.size.width)x\(settings.size.height) "
          + settings.pixelFormat.name,
        on: "a picture of \(frame.width)x\(frame.height) \(frame.pixelFormat.name)")
    }
    let input = try Frame(sharing: frame)
    input.shedDecoderTraces()
    if isKeyframe { input.pointer.pointee.pict_type = AV_PICTURE_TYPE_I }
    if let field = settings.firstField {
      input.pointer.pointee.interlaced_frame = 1
      input.pointer.pointee.top_field_first = field == .top ? 1 : 0
    }
    input.time = number
    input.pointer.pointee.format = settings.pixelFormat.rawValue
    // prores_ks writes the picture's tags into its header; the other encoders write the context's.
    if settings.codec == .prores { input.setColor(settings.color) }
    if firstNumber == nil { firstNumber = number }
    input.pointer.pointee.sample_aspect_ratio = context.pointee.sample_aspect_ratio
    try check(avcodec_send_frame(context, input.pointer))
  }

  /// Whether a picture has the encoder's layout under the name that libav uses for full range.
  private func isInRange(_ frame: Frame) -> Bool {
    settings.color.range == "pc" && frame.pixelFormat.withoutRange == settings.pixelFormat
  }

  deinit {
    // SVT-AV1 waits forever if it is closed before it has finished.
    if settings.codec == .av1, !hasEnded { drainUnfinished() }
  }

  private func drainUnfinished() {
    if firstNumber == nil,
      let blank = try? Frame(
        width: settings.size.width, height: settings.size.height,
        pixelFormat: settings.pixelFormat)
    {
      try? send(blank, number: 0)
    }
    try? send(nil)
    guard let packet = try? Packet() else { return }
    while (try? receive(into: packet)) == .packet {}
  }

  /// Receives the next packet, if the pictures sent so far yield one.
  public func receive(into packet: Packet) throws -> EncoderOutput {
    packet.clear()
    let status = avcodec_receive_packet(context, packet.pointer)
    if status >= 0 {
      packet.timeBase = timeBase
      packet.duration = 1
      // Encoders subtract their delay from decoding times only if they are sent more pictures than that, but chunks of
      // any length must join.
      packet.decodingTime = (firstNumber ?? 0) + received - delay
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
      on: settings.subject)
  }
}

extension Frame {
  /// Removes data from the decoder that an encoder would act on: picture type, fields, captions and other side data.
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
