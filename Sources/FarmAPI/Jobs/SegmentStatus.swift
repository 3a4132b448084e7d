/// How far a segment has come.
public enum SegmentState: String, Hashable, Codable, Sendable, CaseIterable {
  /// Waiting for a worker.
  case pending
  /// With a worker.
  case leased
  /// Its chunk is accepted.
  case completed
  /// Given up.
  case failed
}

/// A segment as the farm reports it.
public struct SegmentStatus: Hashable, Codable, Sendable {
  /// The segment's place in the plan, from 0.
  public var index: Int
  /// The first output frame.
  public var first: Int
  /// The first output frame after it.
  public var end: Int
  /// How far it has come.
  public var state: SegmentState
  /// The number of attempts that were started.
  public var attempts: Int
  /// The worker that has it or delivered it.
  public var worker: String?
  /// The second worker, where a speculative copy of it is being rendered.
  public var copyWorker: String?
  /// Frames that the running attempt has rendered.
  public var framesRendered: Int
  /// The delivery of its chunk; `nil` as long as it has none.
  public var delivery: SegmentDelivery?
  /// Whether a chunk is held until another worker has rendered the segment too; `nil` if not.
  public var isUnderAudit: Bool?

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
