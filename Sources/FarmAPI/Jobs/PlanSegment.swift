import Crypto

/// A segment of a job's plan.
public struct PlanSegment: Hashable, Codable, Sendable {
  /// The segment's index in the plan, from 0.
  public var index: Int
  /// The first output frame.
  public var first: Int
  /// The end of the output frames, exclusive.
  public var end: Int
  /// How the segment is made; `nil` if an earlier version planned it.
  public var kind: SegmentStatus.Kind?
  /// The reason why it is encoded, for people; `nil` if it is copied or the reason is unknown.
  public var reason: String?
  /// An estimate of the work, in any unit. The segments of a job with the highest cost are leased first.
  public var cost: Int64
  /// The memory in bytes that rendering it is expected to need; `nil` if unknown.
  public var memory: Int?
  /// The SHA-256 of everything that decides its frames; `nil` if an early version planned it.
  public var content: Digest?
  /// The SHA-256 of everything that decides its chunk's bytes, including the workers' libraries; `nil` until a worker
  /// has the first lease of the job.
  public var contentKey: Digest?
  /// The SHA-256 of each asset that a worker reads for it.
  public var assets: [Digest]

  /// Creates a segment.
  public init(
    index: Int, first: Int, end: Int, kind: SegmentStatus.Kind?, reason: String?, cost: Int64,
    memory: Int?, content: Digest?, assets: [Digest]
  ) {
    self.index = index
    self.first = first
    self.end = end
    self.kind = kind
    self.reason = reason
    self.cost = cost
    self.memory = memory
    self.content = content
    self.assets = assets
  }
}
