import Preparation

/// The limits that a job was accepted under. They hold for it until it ends, whatever a later start says, unless that
/// start allows more.
struct JobLimits: Hashable, Codable, Sendable {
  /// Segments of the submitter's unfinished jobs.
  var segments: Int
  /// Assets of the submitter.
  var assets: Int
  /// Bytes of an asset that is fetched.
  var assetBytes: Int
  /// Bytes of a chunk.
  var chunkBytes: Int
  /// What planning may cost; `nil` for a job of an earlier version, which had no such limits.
  var planning: PlanningLimits?

  /// The limits of a start.
  init(_ limits: Limits) {
    segments = limits.segmentsPerSubmitter
    assets = limits.assetsPerSubmitter
    assetBytes = limits.assetBytes
    chunkBytes = limits.chunkBytes
    planning = limits.planning
  }

  /// The larger ones of both.
  func union(_ other: JobLimits) -> JobLimits {
    var larger = self
    larger.segments = max(segments, other.segments)
    larger.assets = max(assets, other.assets)
    larger.assetBytes = max(assetBytes, other.assetBytes)
    larger.chunkBytes = max(chunkBytes, other.chunkBytes)
    larger.planning = other.planning.map { planning?.union($0) ?? $0 } ?? planning
    return larger
  }
}
