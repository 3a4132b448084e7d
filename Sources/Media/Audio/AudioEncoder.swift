import CFFmpeg
import Timeline

/// Encodes planar float samples.
///
/// The first packet's time is negative by the encoder's delay, and the last packet ends with the last sample, so that
/// the container's edit list signals exactly the samples that were sent.
public final class AudioEncoder {
  /// The settings that decide the output, together with the samples.
  public struct Settings: Hashable, Codable, Sendable {
    /// The codec.
    public var codec: AudioSettings.Codec
    /// Samples per second.
    public var sampleRate: Int
    /// Channels: 1, 2 or 6 (5.1).
    public var channels: Int
    /// Bits per second; ignored by lossless codecs.
    public var bitRate: Int
    /// Bits per sample of lossless codecs: 16 or 24.
    public var bitDepth: Int

    /// Creates settings.
    public init(
      codec: AudioSettings.Codec = .aac, sampleRate: Int = 48000, channels: Int = 2,
      bitRate: Int = 128_000, bitDepth: Int = 16
    ) {
      self.codec = codec
      self.sampleRate = sampleRate
      self.channels = channels
      self.bitRate = bitRate
      self.bitDepth = bitDepth
    }

    /// Creates the settings for a project's audio settings.
    public init(_ audio: AudioSettings) {
      self.init(
        codec: audio.codec, sampleRate: audio.sampleRate, channels: audio.channels,
        bitRate: audio.bitRate ?? AudioSettings.bitRate(channels: audio.channels),
        bitDepth: audio.bitDepth ?? 16)
    }

    /// The libav muxer for a file of the codec in which times are exact.
    public var fileFormat: String { codec == .pcm ? "mov" : "mp4" }
  }

  /// The settings that the encoder was opened with.
  public let settings: Settings
  private let encoder: EncoderContext
  private let layout: SampleLayout
  private let packet: Packet
  private var pending: [[Float]]
  private var sent: Int64 = 0

  /// Opens the encoder.
  ///
  /// - Throws: ``MediaError`` with code `invalidSettings` or `encoderFailed`.
  public init(_ settings: Settings) throws {
    self.settings = settings
    pending = Array(repeating: [], count: max(settings.channels, 0))
    packet = try Packet()
    layout = SampleLayout(settings)
    let subject =
      "\(settings.codec.rawValue), \(settings.channels) channels at \(settings.sampleRate) Hz"
    guard ChannelMatrix.outputs.contains(settings.channels),
      (8000...96_000).contains(settings.sampleRate),
      (8000...1_000_000).contains(settings.bitRate), [16, 24].contains(settings.bitDepth)
    else {
      throw MediaError(
        .invalidSettings, "these audio settings are not supported", on: subject,
        remedy: "use 1, 2 or 6 channels at 8000 to 96000 Hz and 8000 to 1000000 bits per second")
    }
    encoder = try EncoderContext(layout.encoderName, subject: subject, options: [:]) {
      [layout] context throws(MediaError) in
      context.pointee.sample_fmt = layout.format
      context.pointee.sample_rate = Int32(settings.sampleRate)
      if !settings.codec.isLossless { context.pointee.bit_rate = Int64(settings.bitRate) }
      if layout.format != AV_SAMPLE_FMT_FLTP, settings.codec.isLossless {
        context.pointee.bits_per_raw_sample = Int32(settings.bitDepth)
      }
      context.pointee.time_base = AVRational(num: 1, den: Int32(settings.sampleRate))
      context.pointee.thread_count = 1
      context.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
      av_channel_layout_default(&context.pointee.ch_layout, Int32(settings.channels))
    }
  }

  private var context: UnsafeMutablePointer<AVCodecContext> { encoder.pointer }

  /// The stream parameters for a muxer.
  public var parameters: StreamParameters { encoder.parameters }

  /// Seconds per tick of the packets' times: one sample.
  public var timeBase: RationalTime {
    get throws { try RationalTime(1, Int64(settings.sampleRate)) }
  }

  /// Samples that decoding puts before the first one sent.
  public var delay: Int { Int(context.pointee.initial_padding) }

  /// Encodes more samples, the same number per channel, and passes each finished packet to `body`.
  ///
  /// The packet is valid only during the call.
  public func encode(_ samples: [[Float]], _ body: (Packet) throws -> Void) throws {
    guard samples.count == settings.channels,
      samples.allSatisfy({ $0.count == samples[0].count })
    else {
      throw MediaError(
        .encoderFailed, "channels are missing or differ in length", on: "an audio encoder")
    }
    for channel in pending.indices { pending[channel] += samples[channel] }
    // PCM accepts any number of samples.
    let size = context.pointee.frame_size > 0 ? Int(context.pointee.frame_size) : 1024
    var first = 0
    while pending[0].count - first >= size {
      try send(first..<first + size, body)
      first += size
    }
    for channel in pending.indices { pending[channel].removeFirst(first) }
  }

  /// Encodes the rest and passes the last packets to `body`. Nothing can be encoded afterwards.
  public func finish(_ body: (Packet) throws -> Void) throws {
    if !pending[0].isEmpty { try send(0..<pending[0].count, body) }
    for channel in pending.indices { pending[channel] = [] }
    try check(avcodec_send_frame(context, nil))
    try drain(body)
  }

  private func send(_ range: Range<Int>, _ body: (Packet) throws -> Void) throws {
    let frame = try Frame()
    frame.pointer.pointee.nb_samples = Int32(range.count)
    frame.pointer.pointee.format = layout.format.rawValue
    frame.pointer.pointee.sample_rate = Int32(settings.sampleRate)
    av_channel_layout_copy(&frame.pointer.pointee.ch_layout, &context.pointee.ch_layout)
    try check(av_frame_get_buffer(frame.pointer, 0))
    layout.write(pending.map { $0[range] }, to: frame)
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
    try checked(
      status, .encoderFailed, "cannot encode audio", on: "\(settings.codec.rawValue) encoder")
  }
}
