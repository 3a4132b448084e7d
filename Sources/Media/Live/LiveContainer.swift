/// The formats in which a live source can send its stream.
public enum LiveContainer: Hashable, Sendable {
  /// An MPEG transport stream.
  case transportStream
  /// A Flash Video file, which is what RTMP transports.
  case flashVideo
  /// Packets of RTP, after a description of their streams (SDP).
  case rtp
  /// Uncompressed pictures (YUV4MPEG2, called Y4M).
  case yuv4mpeg
  /// Uncompressed sound (WAVE, RF64 if it is long).
  case wave

  /// The number of bytes that identify the format.
  public static let signatureSize = 12

  /// Detects the format from the first bytes. Anything unknown counts as a transport stream.
  public init(signature bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(Self.signatureSize))
    let begins = { (text: String) in bytes.starts(with: text.utf8) }
    if begins("YUV4MPEG2 ") {
      self = .yuv4mpeg
    } else if begins("RIFF") || begins("RF64"), bytes.dropFirst(8).elementsEqual("WAVE".utf8) {
      self = .wave
    } else {
      self = .transportStream
    }
  }

  /// Whether it is a file of uncompressed pictures or sound.
  public var isFile: Bool { self == .yuv4mpeg || self == .wave }

  /// The unit of its times.
  public var clock: LiveClock {
    switch self {
    case .transportStream: LiveClock(ticksPerSecond: 90_000, bits: 33)
    case .flashVideo: LiveClock(ticksPerSecond: 1000, bits: 32)
    case .rtp: LiveClock(ticksPerSecond: 90_000, bits: 48)
    case .yuv4mpeg, .wave: .fine
    }
  }

  /// The name of libav's demuxer.
  var demuxer: String {
    switch self {
    case .transportStream: "mpegts"
    case .flashVideo: "flv"
    case .rtp: "sdp"
    case .yuv4mpeg: "yuv4mpegpipe"
    case .wave: "wav"
    }
  }
  /// The options of libav's demuxer.
  var options: [String: String] {
    // Each read returns one packet, and they arrive in order.
    self == .rtp ? ["sdp_flags": "custom_io", "reorder_queue_size": "0"] : [:]
  }
  /// The remedy if nothing can be recorded.
  var remedy: String {
    switch self {
    case .transportStream: "send MPEG-TS"
    case .flashVideo: "send H.264 video and AAC audio"
    case .rtp: "offer H.264 or H.265 video, or sound"
    case .yuv4mpeg: "send complete pictures"
    case .wave: "send PCM"
    }
  }
}
