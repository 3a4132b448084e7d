/// A value that changes over time in steps and ramps, which are ordered by start and do not overlap.
///
/// Before the first piece, the value is the property's default. After a ramp, it keeps the ramp's end value.
public struct Ramps<Value: Interpolatable>: Hashable, Sendable {
  /// A step or a ramp.
  public enum Piece: Hashable, Sendable {
    /// A constant value from `at` on.
    case step(at: RationalTime, value: Value)
    /// A value that changes over the time range, with the progress of the timing function.
    case ramp(
      timeRange: TimeRange, from: Value, to: Value, timingFunction: TimingFunction = .linear)

    /// The start of the piece.
    public var start: RationalTime {
      switch self {
      case .step(let at, _): at
      case .ramp(let timeRange, _, _, _): timeRange.start
      }
    }
  }

  /// The pieces in chronological order.
  public var pieces: [Piece]

  /// Creates a value from pieces. Without pieces, the value is always the default.
  public init(_ pieces: [Piece] = []) { self.pieces = pieces }

  /// The value after the last piece; `nil` without pieces.
  public var finalValue: Value? {
    switch pieces.last {
    case .step(_, let value): value
    case .ramp(_, _, let end, _): end
    case nil: nil
    }
  }

  /// The value at an instant; `nil` before the first piece.
  public func value(at time: RationalTime) -> Value? {
    guard let piece = pieces.last(where: { $0.start <= time }) else { return nil }
    switch piece {
    case .step(_, let value): return value
    case .ramp(let range, let from, let to, let timing):
      guard range.contains(time), let elapsed = try? time - range.start,
        let fraction = try? elapsed / range.duration
      else { return to }
      return from.interpolated(to: to, fraction: timing.progress(after: fraction.seconds))
    }
  }
}
