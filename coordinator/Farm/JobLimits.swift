import Preparation

/// The limits that a job was accepted under. They apply until the job ends, even if the coordinator restarts with lower
/// ones; higher ones apply at once.
struct JobLimits: Hashable, Codable, Sendable {
  /// Segments of the submitter's unfinished jobs.
  var segments: Int
  /// Segments of all jobs that are rendered at a time; `nil` for a job of an earlier version.
  var segmentsAtOnce: Int?
  /// The submitter's assets.
  var assets: Int
  /// Bytes of the submitter's assets; `nil` for a job of an earlier version, which keeps to the current quota.
  var assetBytesPerSubmitter: Int?
  /// Bytes of a fetched asset.
  var assetBytes: Int
  /// Bytes of a chunk.
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
