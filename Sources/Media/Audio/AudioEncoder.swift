import CFFmpeg
import Timeline

/// Encodes planar float samples as AAC.
///
/// The first packet's time is negative by the encoder's delay, and the last one's duration ends with the last sample,
/// so that the container's edit list signals exactly the samples that were sent.
public final class AudioEncoder {
  /// What decides the output besides the samples.
  public struct Settings: Hashable, Codable, Sendable {
    /// Samples per second.
    public var sampleRate: Int
    /// Channels: 1, 2 or 6, which is 5.1.
    public var channels: Int
    /// Bits per second.
    public var bitRate: Int

    /// Settings from their parts.
    public init(sampleRate: Int = 48000, channels: Int = 2, bitRate: Int = 128_000) {
      self.sampleRate = sampleRate
      self.channels = channels
      self.bitRate = bitRate
    }
  }

  /// The settings that the encoder was opened with.
  public let settings: Settings
  /// What a muxer needs.
  public let parameters: StreamParameters
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let packet: Packet
  private var pending: [[Float]]
  private var sent: Int64 = 0

  /// Opens the encoder.
  ///
  /// - Throws: ``MediaError`` with code `encoderFailed`.
  public init(_ settings: Settings) throws {
    LibavLog.installed
    self.settings = settings
    pending = Array(repeating: [], count: max(settings.channels, 0))
    packet = try Packet()
    let subject = "AAC, \(settings.channels) channels at \(settings.sampleRate) Hz"
    guard ChannelMatrix.outputs.contains(settings.channels),
      (8000...96_000).contains(settings.sampleRate),
      (8000...1_000_000).contains(settings.bitRate), let codec = avcodec_find_encoder_by_name("aac")
    else {
      throw MediaError(
        .invalidSettings, "audio cannot be encoded so", on: subject,
        remedy: "use 1, 2 or 6 channels at 8000 to 96000 Hz and 8000 to 1000000 bits per second")
    }
    context = try allocated(avcodec_alloc_context3(codec), for: subject)
    context.pointee.sample_fmt = AV_SAMPLE_FMT_FLTP
    context.pointee.sample_rate = Int32(settings.sampleRate)
    context.pointee.bit_rate = Int64(settings.bitRate)
    context.pointee.time_base = AVRational(num: 1, den: Int32(settings.sampleRate))
    context.pointee.thread_count = 1
    context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    av_channel_layout_default(&context.pointee.ch_layout, Int32(settings.channels))
    do {
      try checked(
        avcodec_open2(context, codec, nil), .encoderFailed, "cannot open the encoder", on: subject)
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

  /// Seconds per tick of the packets' times: one sample.
  public var timeBase: RationalTime {
    get throws { try RationalTime(1, Int64(settings.sampleRate)) }
  }

  /// Samples that decoding puts before the first one sent.
  public var delay: Int { Int(context.pointee.initial_padding) }

  /// Encodes more samples, per channel and of equal counts, and hands each finished packet to `body`.
  ///
  /// The packet is valid for the length of the call.
  public func encode(_ samples: [[Float]], _ body: (Packet) throws -> Void) throws {
    guard samples.count == settings.channels,
      samples.allSatisfy({ $0.count == samples[0].count })
    else { throw MediaError(.encoderFailed, "channels do not match", on: "AAC encoder") }
    for channel in pending.indices { pending[channel] += samples[channel] }
    let size = Int(context.pointee.frame_size)
    var first = 0
    while pending[0].count - first >= size {
      try send(first..<first + size, body)
      first += size
    }
    for channel in pending.indices { pending[channel].removeFirst(first) }
  }

  /// Encodes what is left, and hands the last packets to `body`; nothing can be encoded afterwards.
  public func finish(_ body: (Packet) throws -> Void) throws {
    if !pending[0].isEmpty { try send(0..<pending[0].count, body) }
    for channel in pending.indices { pending[channel] = [] }
    try check(avcodec_send_frame(context, nil))
    try drain(body)
  }

  private func send(_ range: Range<Int>, _ body: (Packet) throws -> Void) throws {
    let frame = try Frame()
    frame.pointer.pointee.nb_samples = Int32(range.count)
    frame.pointer.pointee.format = AV_SAMPLE_FMT_FLTP.rawValue
    frame.pointer.pointee.sample_rate = Int32(settings.sampleRate)
    av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout)
    try check(av_frame_get_buffer(frame.pointer, 0))
    for channel in pending.indices {
      guard let plane = frame.pointer.pointee.extended_data[channel] else { continue }
      pending[channel][range].withUnsafeBytes {
        guard let base = $0.baseAddress else { return }
        UnsafeMutableRawPointer(plane).copyMemory(from: base, byteCount: $0.count)
      }
    }
    frame.time = sent
    sent += Int64(range.count)
    try check(avcodec_send_frame(context, frame.pointer))
    try drain(body)
  }

  private func drain(_ body: (Packet) throws -> Void) throws {
    while true {
      packet.clear()
      let status = avcodec_receive_packet(context, packet.pointer)
      if status < 0 {
        let error = LibavError(status: status)
        if error.isTryAgain || error.isEndOfFile { return }
        return try check(status)
      }
      packet.timeBase = try timeBase
      try body(packet)
    }
  }

  private func check(_ status: Int32) throws {
    try checked(status, .encoderFailed, "cannot encode audio", on: "AAC encoder")
  }
}
