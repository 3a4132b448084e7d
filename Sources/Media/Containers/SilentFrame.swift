import CFFmpeg
import Timeline

/// Makes frames of silence.
enum SilentFrame {
  /// Encodes a frame of silence for a stream of AC-3 or E-AC-3, in stereo at 48 kHz if libav cannot encode the stream's
  /// own sample rate and channels. Decoders read both from each frame.
  ///
  /// - Returns: a packet without times, whose duration is in samples of the stream.
  /// - Throws: ``MediaError`` with code `encoderFailed`.
  static func packet(like parameters: StreamParameters) throws -> Packet {
    let subject = "silence in \(parameters.codec)"
    func encoder(isUsual: Bool) throws -> EncoderContext {
      try EncoderContext(parameters.codec, subject: subject, options: [:]) { context in
        context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
        context.pointee.sample_rate = isUsual ? 48_000 : Int32(parameters.sampleRate)
        context.pointee.time_base = AVRational(num: 1, den: context.pointee.sample_rate)
        context.pointee.thread_count = 1
        context.pointee.flags |= AV_CODEC_FLAG_BITEXACT
        if isUsual {
          av_channel_layout_default(&context.pointee.ch_layout, 2)
        } else {
          av_channel_layout_copy(
            &context.pointee.ch_layout, &parameters.pointer.pointee.ch_layout)
        }
      }
    }
    let opened = try (try? encoder(isUsual: false)) ?? encoder(isUsual: true)
    let context = opened.pointer
    let frame = try Frame()
    frame.pointer.pointee.nb_samples = context.pointee.frame_size
    frame.pointer.pointee.format = context.pointee.sample_fmt.rawValue
    frame.pointer.pointee.sample_rate = context.pointee.sample_rate
    av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout)
    func check(_ status: Int32) throws {
      try checked(status, .encoderFailed, "cannot encode silence", on: subject)
    }
    try check(av_frame_get_buffer(frame.pointer, 0))
    try check(
      av_samples_set_silence(
        frame.pointer.pointee.extended_data, 0, frame.pointer.pointee.nb_samples,
        frame.pointer.pointee.ch_layout.nb_channels, context.pointee.sample_fmt))
    try check(avcodec_send_frame(context, frame.pointer))
    try check(avcodec_send_frame(context, nil))
    let packet = try Packet()
    try check(avcodec_receive_packet(context, packet.pointer))
    packet.timeBase = try RationalTime(1, Int64(parameters.sampleRate))
    packet.duration = Int64(context.pointee.frame_size)
    withExtendedLifetime(opened) {}
    return packet
  }
}
