/// What is known of an asset without opening it again: its streams, and the exact time of every frame.
///
/// Built once per asset digest by `Media`, read by `Planning`. All stream times are in ticks of the stream's time
/// base, after edit lists, as the demuxer reports them.
public struct MediaIndex: Hashable, Codable, Sendable {
  /// The version of this layout and of how indexes are built; a cached index of another version is built again.
  public static let currentVersion = 14

  /// The layout's version.
  public var version: Int
  /// The demuxer's short name, e.g. `mov,mp4,m4a,3gp,3g2,mj2`.
  public var format: String
  /// The asset's time zero: the earliest presentation start of its streams, in seconds of the container's clock.
  public var start: RationalTime
  /// The length from ``start`` to the latest presentation end of the streams, in seconds. A still image's is zero.
  public var duration: RationalTime
  /// Whether the asset is a still image, whose one frame holds for any time.
  public var isStillImage: Bool
  /// Whether a still image has no colors that could be noticed; `nil` for other media, and where it does not decode.
  public var isGreyScale: Bool?
  /// The video streams, in container order: `trackIndex` in a project counts these.
  public var video: [VideoStream]
  /// The audio streams, in container order: `trackIndex` in a project counts these.
  public var audio: [AudioStream]

  /// The number of frames of all streams.
  public var frameCount: Int { video.reduce(0) { $0 + $1.frames.times.count } }

  /// An index of the current version.
  public init(
    format: String, start: RationalTime, duration: RationalTime, isStillImage: Bool,
    isGreyScale: Bool? = nil, video: [VideoStream], audio: [AudioStream]
  ) {
    version = Self.currentVersion
    self.format = format
    self.start = start
    self.duration = duration
    self.isStillImage = isStillImage
    self.isGreyScale = isGreyScale
    self.video = video
    self.audio = audio
  }
}
