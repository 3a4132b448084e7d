/// A half-open range of time, `start ≤ t < end`, in seconds.
public struct TimeRange: Hashable, Sendable {
  /// The first instant in the range.
  public let start: RationalTime
  /// The length of the range. Never negative once the range is validated.
  public let duration: RationalTime
  /// The first instant after the range.
  public let end: RationalTime

  /// Creates a range from its start and length.
  ///
  /// - Throws: ``TimeError/overflow`` if the end does not fit in 64 bits.
  public init(start: RationalTime, duration: RationalTime) throws(TimeError) {
    self.start = start
    self.duration = duration
    end = try start + duration
  }

  /// Creates a range from its ends.
  public init(start: RationalTime, end: RationalTime) throws(TimeError) {
    self.start = start
    self.end = end
    duration = try end - start
  }

  /// An empty range at zero.
  package static let nothing = TimeRange()

  private init() { (start, duration, end) = (.zero, .zero, .zero) }

  /// Whether the instant is within the range.
  public func contains(_ time: RationalTime) -> Bool { start <= time && time < end }

  /// Whether the two ranges share an instant.
  public func overlaps(_ other: TimeRange) -> Bool { start < other.end && other.start < end }

  /// The range for a message, e.g. `[1/2, 3)`.
  package var shown: String { "[\(start), \(end))" }
}
