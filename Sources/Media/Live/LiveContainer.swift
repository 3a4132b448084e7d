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
  var isFile: Bool { self == .yuv4mpeg || self == .wave }

  /// Ticks of its times per second.
  public var ticksPerSecond: Int64 {
    switch self {
    case .transportStream, .rtp: 90_000
    case .flashVideo: 1000
    // A frame is a whole number of ticks at every standard rate, including 24000/1001 and 60, and so is a sample at
    // 48 kHz. Samples at 44.1 kHz are rounded.
    case .yuv4mpeg, .wave: 720_000
    }
  }
  /// The number of bits of its times, which start again at zero.
  public var timeBits: Int {
    switch self {
    case .transportStream: 33
    case .flashVideo: 32
    case .rtp, .yuv4mpeg, .wave: 48
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

  /// Whether a stream is encoded because MP4 files cannot hold it. Video is not encoded if the source cannot wait, because
  /// encoding may be too slow.
  func mayEncode(_ parameters: StreamParameters) -> Bool {
    guard !FragmentMuxer.canHold(parameters) else { return false }
    return switch self {
    // Try every stream of a file, so that a failure gives its reason.
    case .yuv4mpeg, .wave: true
    case .transportStream, .flashVideo, .rtp:
      parameters.mediaKind == .audio && parameters.sampleRate > 0
        && AllowedDecoders.refusal(of: parameters) == nil
    }
  }
}
