/// The state of a segment.
public enum SegmentState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Waiting for a worker.
  case pending = "pending"
  /// Leased by a worker.
  case leased = "leased"
  /// Completed with an accepted chunk.
  case completed = "completed"
  /// Given up after too many failures.
  case failed = "failed"
}

/// A segment as the farm reports it.
public struct SegmentStatus: Hashable, Codable, Sendable {
  /// The segment's index in the plan, from 0.
  public var index: Int
  /// The first output frame.
  public var first: Int
  /// The end of the output frames, exclusive.
  public var end: Int
  /// The state, which a lost or distrusted chunk can set back to `pending`.
  public var state: SegmentState
  /// The number of attempts that were started.
  public var attempts: Int
  /// The worker that has it or delivered it.
  public var worker: String?
  /// The second worker, if a speculative copy of the segment is being rendered.
  public var copyWorker: String?
  /// The number of frames that the running attempt has rendered.
  public var framesRendered: Int
  /// The delivery of its chunk; `nil` if it has no chunk.
  public var delivery: SegmentDelivery?
  /// How the segment is made; `nil` if an earlier version planned it.
  public var kind: Kind?
  /// Whether it has the chunk of an earlier job or of an identical segment; `nil` if not.
  public var isReused: Bool?
  /// The memory in bytes that rendering it is expected to need; `nil` if unknown.
  public var memory: Int?
  /// The reason why it is encoded, for people; `nil` if it is copied or the reason is unknown.
  public var reason: String?
  /// Whether a chunk is held until another worker has rendered the segment too; `nil` if not.
  public var isUnderAudit: Bool?

  /// How a segment is made.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The packets of a source are copied.
    case copied = "copied"
    /// Frames are decoded, composited and encoded.
    case encoded = "encoded"
  }

  /// Creates a status.
  public init(
    index: Int, first: Int, end: Int, state: SegmentState, attempts: Int, worker: String?,
    copyWorker: String? = nil, framesRendered: Int, delivery: SegmentDelivery? = nil,
    isUnderAudit: Bool? = nil
  ) {
    self.index = index
    self.first = first
    self.end = end
    self.state = state
    self.attempts = attempts
    self.worker = worker
    self.copyWorker = copyWorker
    self.framesRendered = framesRendered
    self.delivery = delivery
    self.isUnderAudit = isUnderAudit
  }
}
