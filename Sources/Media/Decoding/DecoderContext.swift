import CFFmpeg
import Timeline

/// The result of requesting a frame from a decoder.
public enum DecoderOutput {
  /// The next frame in presentation order.
  case frame(Frame)
  /// The decoder needs more packets before it can deliver a frame.
  case needsInput
  /// The end was signaled, and all frames were delivered.
  case endOfStream
}

/// An opened libav decoder for one stream.
final class DecoderContext {
  let pointer: UnsafeMutablePointer<AVCodecContext>
  private let name: String
  /// The pool that provides its pictures; `nil` for the decoder's own.
  private let pictures: PicturePool?
  /// The time of the frame received last, and its distance from the one before, in ticks.
  private var last: (time: Int64, step: Int64)?
  /// Whether the decoder has reported damage since the last call of ``takeBreak()``.
  private var isBroken = false
  /// Whether the numbers of pictures have had a gap since the last call of ``takeGap()``.
  private var hasGap = false

  /// - Parameters:
  ///   - isStrict: whether a damaged picture is dropped rather than concealed.
  ///   - pictures: the pool that provides its pictures; `nil` for the decoder's own.
  ///   - x264Build: the x264 build in the stream's first packet, if decoding starts elsewhere.
  init(
    _ stream: Demuxer.Stream, named name: String, isStrict: Bool = false,
    pictures: PicturePool? = nil, x264Build: Int? = nil
  ) throws {
    LibavLog.installed
    self.name = name
    self.pictures = pictures
    let codec = stream.parameters.codec
    guard let decoder = AllowedDecoders.decoder(for: stream.parameters) else {
      throw AllowedDecoders.unsupported(codec, name)
    }
    let size = stream.parameters.size
    try AllowedDecoders.checkSize(width: size.width, height: size.height, on: name)
    // From here on every property is set, so that `deinit` frees the context when this throws.
    pointer = try allocated(avcodec_alloc_context3(decoder), for: name)
    try checked(
      avcodec_parameters_to_context(pointer, stream.parameters.pointer), .unsupportedCodec,
      "cannot set up the \(codec) decoder", on: name)
    pointer.pointee.pkt_timebase = stream.timeBase.fraction ?? AVRational(num: 0, den: 1)
    pointer.pointee.thread_count = 1
    pointer.pointee.thread_type = 0
    pointer.pointee.flags |= AV_CODEC_FLAG_BITEXACT
    pointer.pointee.max_pixels = AllowedDecoders.maximumPixels
    pictures?.serve(pointer)
    pointer.pointee.err_recognition = Int32(
      isStrict ? AV_EF_CRCCHECK | AV_EF_EXPLODE : AV_EF_CRCCHECK)
    try PNGChunks.removeUnused(fromParametersOf: pointer, named: name)
    let builds = codec == "h264" ? x264Build.map { ["x264_build": "\($0)"] } : nil
    var options = OptionDictionary(builds ?? [:])
    let status = avcodec_open2(pointer, decoder, &options.pointer)
    guard status >= 0 else {
      throw AllowedDecoders.unsupported(codec, name, cause: LibavError(status: status).text)
    }
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = pointer
    avcodec_free_context(&context)
  }

  /// Sends a packet, or the end of the stream. Damaged data is skipped: frames are then missing or incomplete, and
  /// ``takeBreak()`` returns true.
  ///
  /// - Parameter isUnwanted: whether the packet's picture need not be decoded if no other picture refers to it.
  func send(_ packet: Packet?, isUnwanted: Bool = false) throws {
    pointer.pointee.skip_frame = isUnwanted ? AVDISCARD_NONREF : AVDISCARD_DEFAULT
    let packet = try packet.map { try PNGChunks.withoutUnused($0, for: pointer, named: name) }
    _ = LibavLog.takeDamageReport()
    _ = LibavLog.takeGapReport()
    let status = avcodec_send_packet(pointer, packet?.pointer)
    noteComplaint()
    if LibavLog.takeGapReport() { hasGap = true }
    guard status < 0 else { return }
    let error = LibavError(status: status)
    if error.isDamage { isBroken = true }
    if error.isDamage || error.isEndOfFile { return }
    throw failure(error)
  }

  /// Returns whether the decoder reported damage in the last packet, and clears the flag.
  func takeBreak() -> Bool {
    defer { isBroken = false }
    return isBroken
  }

  /// Returns whether the numbers of H.264 pictures have had a gap since the last call, and clears the flag.
  func takeGap() -> Bool {
    defer { hasGap = false }
    return hasGap
  }

  /// Whether each frame is coded independently.
  var isIntraOnly: Bool {
    guard let descriptor = avcodec_descriptor_get(pointer.pointee.codec_id) else { return false }
    return descriptor.pointee.props & AV_CODEC_PROP_INTRA_ONLY != 0
  }

  /// Notes damage that libav only logs. It logs on this thread, because decoders use a single one.
  private func noteComplaint() {
    if LibavLog.takeDamageReport() { isBroken = true }
  }

  func receive() throws -> DecoderOutput {
    let frame = try Frame()
    while true {
      _ = LibavLog.takeDamageReport()
      let status = avcodec_receive_frame(pointer, frame.pointer)
      noteComplaint()
      if status >= 0 {
        frame.time = time(of: frame)
        return .frame(frame)
      }
      let error = LibavError(status: status)
      if error.isTryAgain { return .needsInput }
      if error.isEndOfFile { return .endOfStream }
      // A frame was damaged while draining. Later frames may be intact.
      guard error.isDamage else { throw failure(error) }
      isBroken = true
    }
  }

  func flush() {
    avcodec_flush_buffers(pointer)
    last = nil
  }

  /// libav's best-effort time. If it has none (the last frames of AVI with B-frames), one step after the last frame.
  private func time(of frame: Frame) -> Int64 {
    let known = frame.pointer.pointee.best_effort_timestamp
    let step = last?.step ?? max(frame.pointer.pointee.pkt_duration, 1)
    let time = known == sheaf_nopts_value ? last.map { $0.time &+ step } ?? 0 : known
    last = (time, last.map { max(time &- $0.time, 1) } ?? step)
    return time
  }

  private func failure(_ error: LibavError) -> MediaError {
    MediaError(
      error.status == sheaf_averror(ENOMEM) ? .outOfMemory : .damaged, "cannot decode the media",
      on: name, remedy: "the file is damaged; copy it again", cause: error.text)
  }
}
