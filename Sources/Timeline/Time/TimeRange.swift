/// A half-open range of time, `start ≤ t < end`, in seconds.
public struct TimeRange: Hashable, Sendable {
  /// The first instant in the range.
  public let start: RationalTime
  /// The length of the range; never negative once validated.
  public let duration: RationalTime
  /// The first instant after the range.
  public let end: RationalTime

  /// A range from its start and length.
  ///
  /// - Throws: ``TimeError/overflow`` when the end does not fit.
  public init(start: RationalTime, duration: RationalTime) throws(TimeError) {
    self.start = start
    self.duration = duration
    end = try start + duration
  }

  /// A range from its two ends.
  public init(start: RationalTime, end: RationalTime) throws(TimeError) {
    self.start = start
    self.end = end
    duration = try end - start
  }

  /// No time at all.
  static let nothing = TimeRange()

  private init() { (start, duration, end) = (.zero, .zero, .zero) }

  /// Whether the instant is in the range.
  public func contains(_ time: RationalTime) -> Bool { start <= time && time < end }

  /// Whether the two ranges share an instant.
  public func overlaps(_ other: TimeRange) -> Bool { start < other.end && other.start < end }
}
