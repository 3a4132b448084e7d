import Foundation

/// An attempt at a segment as the farm reports it.
public struct SegmentAttempt: Hashable, Codable, Sendable {
  /// The segment's index in the plan, from 0.
  public var segment: Int
  /// The number of the attempt at the segment, from 1.
  public var number: Int
  /// The name of the worker, which other workers may share.
  public var worker: String
  /// The id of the worker, which changes each time that it registers.
  public var workerID: String
  /// Whether it is a speculative copy of a slow attempt; `nil` if not.
  public var isCopy: Bool?
  /// The time when the worker got the lease; `nil` if an earlier version recorded it.
  public var startedAt: Date?
  /// The time when it ended; `nil` while it runs, or if an earlier version recorded it.
  public var endedAt: Date?
  /// How it ended, e.g. `completed`, `failed` or `expired`; `nil` while it runs.
  public var outcome: String?
  /// The number of frames that the worker last reported; `nil` if it reported none.
  public var framesRendered: Int?
  /// The number of frames of the segment.
  public var frameCount: Int
  /// The code of the worker's failure.
  public var code: FailureCode?
  /// The message of the worker's failure.
  public var message: String?
  /// The lines that the coordinator and the worker logged about it; see ``AttemptLog``.
  public var log: String?

  /// Creates an attempt.
  public init(
    segment: Int, number: Int, worker: String, workerID: String, isCopy: Bool? = nil,
    startedAt: Date? = nil, endedAt: Date? = nil, outcome: String? = nil,
    framesRendered: Int? = nil, frameCount: Int, code: FailureCode? = nil, message: String? = nil,
    log: String? = nil
  ) {
    self.segment = segment
    self.number = number
    self.worker = worker
    self.workerID = workerID
    self.isCopy = isCopy
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.outcome = outcome
    self.framesRendered = framesRendered
    self.frameCount = frameCount
    self.code = code
    self.message = message
    self.log = log
  }
}
