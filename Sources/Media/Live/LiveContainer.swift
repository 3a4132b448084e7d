/// The formats in which a live source can send its stream.
public enum LiveContainer: Hashable, Sendable {
  /// An MPEG transport stream.
  case transportStream
  /// A Flash Video file, which is what RTMP transports.
  case flashVideo
  /// Uncompressed pictures (YUV4MPEG2, called Y4M).
  case yuv4mpeg
  /// Uncompressed sound (WAVE, RF64 if it is long).
  case wave

  /// The number of first bytes that tell the formats of files apart.
  public static let signatureSize = 12

  /// Tells the formats of files apart by their first bytes. Others count as transport streams.
  public init(signature bytes: some Collection<UInt8>) {
    let text = String(decoding: bytes.prefix(Self.signatureSize), as: UTF8.self)
    if text.hasPrefix("YUV4MPEG2 ") {
      self = .yuv4mpeg
    } else if text.hasSuffix("WAVE"), text.hasPrefix("RIFF") || text.hasPrefix("RF64") {
      self = .wave
    } else {
      self = .transportStream
    }
  }

  /// Ticks of its times per second.
  public var ticksPerSecond: Int64 {
    switch self {
    case .transportStream: 90_000
    case .flashVideo: 1000
    // Divides the frames of all usual rates, such as 24000/1001 and 60, and the samples of most.
    case .yuv4mpeg, .wave: 720_000
    }
  }
  /// The number of bits of its times, which start again at zero.
  public var timeBits: Int {
    switch self {
    case .transportStream: 33
    case .flashVideo: 32
    case .yuv4mpeg, .wave: 48
    }
  }

  /// The name of libav's demuxer.
  var demuxer: String {
    switch self {
    case .transportStream: "mpegts"
    case .flashVideo: "flv"
    case .yuv4mpeg: "yuv4mpegpipe"
    case .wave: "wav"
    }
  }
  /// The remedy if nothing can be recorded.
  var remedy: String {
    switch self {
    case .transportStream: "send MPEG-TS"
    case .flashVideo: "send H.264 video and AAC audio"
    case .yuv4mpeg: "send complete pictures"
    case .wave: "send PCM"
    }
  }

  /// Whether a stream may be encoded if MP4 files cannot hold it. Pictures of a source that cannot wait might take too
  /// long.
  func mayEncode(_ parameters: StreamParameters) -> Bool {
    guard !FragmentMuxer.canHold(parameters) else { return false }
    return switch self {
    // Whatever is in these files, the reason is stated if it cannot be encoded.
    case .yuv4mpeg, .wave: true
    case .transportStream, .flashVideo:
      parameters.mediaKind == .audio && parameters.sampleRate > 0
        && AllowedDecoders.refusal(of: parameters) == nil
    }
  }
}
