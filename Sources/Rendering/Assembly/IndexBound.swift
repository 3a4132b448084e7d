/// An upper bound on the bytes of a file other than its packets, known before the first packet.
enum IndexBound {
  /// The size of a Matroska file's other parts in bytes: headers, tracks, tags and reserved space.
  private static let matroskaFixed = 16_384
  /// The size of a cue point: time, track, and two positions, each with its id and length.
  private static let perCue = 48
  /// The size of the headers of a block and of a cluster, in case each frame begins a cluster.
  private static let perBlock = 64

  /// The size of the cues of a Matroska file in which every frame is a keyframe.
  static func cues(frameCount: Int) -> Int { 1024 + perCue * frameCount }

  /// The size of all headers of clusters and blocks.
  static func blocks(_ count: Int) -> Int { matroskaFixed + perBlock * count }
}
