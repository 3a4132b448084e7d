/// The format of a track of a part, as reports of a recording state it.
public struct TrackFormat: Hashable, Codable, Sendable {
  /// The kind of media.
  public var kind: TrackKind
  /// The codec's name, such as `h264`.
  public var codec: String
  /// The width of the pictures in pixels; 0 for sound.
  public var width: Int
  /// The height of the pictures in pixels; 0 for sound.
  public var height: Int
  /// Samples per second of sound; 0 for video.
  public var sampleRate: Int
  /// The channels of sound; 0 for video.
  public var channels: Int

  /// Creates a format.
  public init(
    kind: TrackKind, codec: String, width: Int, height: Int, sampleRate: Int, channels: Int
  ) {
    self.kind = kind
    self.codec = codec
    self.width = width
    self.height = height
    self.sampleRate = sampleRate
    self.channels = channels
  }
}

extension TrackFormat {
  /// The codec and the size or the sample rate, such as `h264, 1920 × 1080`.
  public var summary: String {
    switch kind {
    case .video: "\(codec), \(width) × \(height)"
    case .audio: "\(codec), \(sampleRate) Hz, \(channels) channel\(channels == 1 ? "" : "s")"
    }
  }
}
