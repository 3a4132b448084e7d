import Foundation

/// The recent past of the farm, for charts: the response to `GET /farm/history`.
public struct FarmHistory: Hashable, Codable, Sendable {
  /// The part of the past that a history covers.
  public enum Range: String, Hashable, Codable, Sendable, CaseIterable {
    /// The last hour, in intervals of 30 seconds.
    case hour = "hour"
    /// The last day, in intervals of ten minutes.
    case day = "day"
  }

  /// One interval.
  public struct Point: Hashable, Codable, Sendable {
    /// The number of frames that were rendered per second.
    public var framesPerSecond: Double
    /// The number of pending segments at the end of the interval. In the history of a day, this and the other counts are
    /// averages.
    public var pending: Double
    /// The number of leased segments.
    public var leased: Double
    /// The number of workers that are not lost.
    public var workers: Double
    /// The number of leases in force.
    public var slotsBusy: Double

    /// Creates a point.
    public init(
      framesPerSecond: Double = 0, pending: Double = 0, leased: Double = 0, workers: Double = 0,
      slotsBusy: Double = 0
    ) {
      self.framesPerSecond = framesPerSecond
      self.pending = pending
      self.leased = leased
      self.workers = workers
      self.slotsBusy = slotsBusy
    }
  }

  /// The length of an interval in seconds.
  public var interval: Int
  /// The start of the first interval.
  public var start: Date
  /// The intervals, oldest first. There are fewer if the coordinator has not run for the whole range.
  public var points: [Point]

  /// Creates a history.
  public init(interval: Int, start: Date, points: [Point]) {
    self.interval = interval
    self.start = start
    self.points = points
  }
}
