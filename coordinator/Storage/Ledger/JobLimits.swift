import Preparation

/// The limits that a job was accepted under. They apply until the job ends, even if the coordinator restarts with lower
/// limits; higher ones apply at once.
struct JobLimits: Hashable, Codable, Sendable {
  /// The maximum number of segments of the submitter's unfinished jobs.
  var segments: Int
  /// The maximum number of segments of all jobs that are rendered at a time; `nil` for a job of an earlier version.
  var segmentsAtOnce: Int?
  /// The maximum number of the submitter's assets.
  var assets: Int
  /// The maximum size of the submitter's assets in bytes; `nil` for a job of an earlier version, to which the current
  /// quota applies.
  var assetBytesPerSubmitter: Int?
  /// The maximum size of a fetched asset in bytes.
  var assetBytes: Int
  /// The maximum size of a chunk in bytes.
  var chunkBytes: Int
  /// Limits on planning; `nil` for a job of an earlier version, which had none.
  var planning: PlanningLimits?

  /// The job limits in a coordinator's configuration.
  init(_ limits: Limits) {
    segments = limits.segmentsPerSubmitter
    segmentsAtOnce = limits.segments
    assets = limits.assetsPerSubmitter
    assetBytesPerSubmitter = limits.assetBytesPerSubmitter
    assetBytes = limits.assetBytes
    chunkBytes = limits.chunkBytes
    planning = limits.planning
  }

  /// The larger value of each limit.
  func union(_ other: JobLimits) -> JobLimits {
    var larger = self
    larger.segments = max(segments, other.segments)
    larger.segmentsAtOnce = [segmentsAtOnce, other.segmentsAtOnce].compactMap(\.self).max()
    larger.assets = max(assets, other.assets)
    larger.assetBytesPerSubmitter =
      [assetBytesPerSubmitter, other.assetBytesPerSubmitter].compactMap(\.self).max()
    larger.assetBytes = max(assetBytes, other.assetBytes)
    larger.chunkBytes = max(chunkBytes, other.chunkBytes)
    larger.planning = other.planning.map { planning?.union($0) ?? $0 } ?? planning
    return larger
  }
}
