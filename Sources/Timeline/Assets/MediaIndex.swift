/// The index of an asset: its streams and the exact time of every frame.
///
/// `Media` builds it once per asset digest, and `Planning` reads it. All stream times are in ticks of the stream's time
/// base, after edit lists, as the demuxer reports them.
public struct MediaIndex: Hashable, Codable, Sendable {
  /// The version of the layout and of the indexing code. A cached index of another version is rebuilt.
  public static let currentVersion = 17

  /// The layout's version.
  public var version: Int
  /// The demuxer's short name, e.g. `mov,mp4,m4a,3gp,3g2,mj2`.
  public var format: String
  /// The asset's time zero: the earliest presentation start of its streams, in seconds of the container's clock.
  public var start: RationalTime
  /// The time from ``start`` to the latest presentation end of the streams, in seconds. It is zero for a still image.
  public var duration: RationalTime
  /// Whether the asset is a still image, whose frame can be shown for any time.
  public var isStillImage: Bool
  /// Whether a still image has no noticeable colors; `nil` for other media and for images that cannot be decoded.
  public var isGrayscale: Bool?
  /// The video streams in container order, as counted by `trackIndex` in a project.
  public var video: [VideoStream]
  /// The audio streams in container order, as counted by `trackIndex` in a project.
  public var audio: [AudioStream]

  private enum CodingKeys: String, CodingKey {
    case version, format, start, duration, isStillImage, video, audio
    // The name in stored indexes of this version.
    case isGrayscale = "isGreyScale"
  }

  /// The total number of frames of all video streams.
  public var frameCount: Int { video.reduce(0) { $0 + $1.frames.times.count } }

  /// Creates an index of the current version.
  public init(
    format: String, start: RationalTime, duration: RationalTime, isStillImage: Bool,
    isGrayscale: Bool? = nil, video: [VideoStream], audio: [AudioStream]
  ) {
    version = Self.currentVersion
    self.format = format
    self.start = start
    self.duration = duration
    self.isStillImage = isStillImage
    self.isGrayscale = isGrayscale
    self.video = video
    self.audio = audio
  }
}
