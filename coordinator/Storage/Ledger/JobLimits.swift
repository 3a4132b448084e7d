import Preparation

/// The limits that a job was accepted under. They apply until the job ends, even if the coordinator restarts with lower
/// limits; higher ones apply at once.
package struct JobLimits: Hashable, Codable, Sendable {
  /// The maximum number of segments of the submitter's unfinished jobs.
  package var segments: Int
  /// The maximum number of segments of all jobs that are rendered at a time; `nil` for a job of an earlier version.
  package var segmentsAtOnce: Int?
  /// The maximum number of the submitter's assets.
  package var assets: Int
  /// The maximum size of the submitter's assets in bytes; `nil` for a job of an earlier version, to which the current
  /// quota applies.
  package var assetBytesPerSubmitter: Int?
  /// The maximum size of a fetched asset in bytes.
  package var assetBytes: Int
  /// The maximum size of a chunk in bytes.
  package var chunkBytes: Int
  /// Limits on planning; `nil` for a job of an earlier version, which had none.
  package var planning: PlanningLimits?

  /// The larger value of each limit.
  package func union(_ other: JobLimits) -> JobLimits {
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
