/// An upper bound on the bytes that a file has besides its packets, known before the first packet is.
enum IndexBound {
  /// The size of a Matroska file's other parts in bytes: headers, tracks, tags and reserved space.
  private static let matroskaFixed = 16_384
  /// A cue point: time, track, and two positions, each with its id and length.
  private static let perCue = 48
  /// A block's head, and a cluster's in case each frame begins one.
  private static let perBlock = 64

  /// The cues of a Matroska file whose every frame is a keyframe.
  static func cues(frameCount: Int) -> Int { 1024 + perCue * frameCount }

  /// The heads of clusters and blocks.
  static func blocks(_ count: Int) -> Int { matroskaFixed + perBlock * count }
}
