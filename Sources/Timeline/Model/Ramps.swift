/// A value that changes over time in steps and ramps, by increasing start, without overlaps.
///
/// Before the first piece the value is the property's default; after a ramp its end value holds.
public struct Ramps<Value: Interpolatable>: Hashable, Sendable {
  /// A step or a ramp.
  public enum Piece: Hashable, Sendable {
    /// The value from `at` on.
    case step(at: RationalTime, value: Value)
    /// The value that moves over the range, from its start to its end, as fast as the timing function says.
    case ramp(
      timeRange: TimeRange, from: Value, to: Value, timingFunction: TimingFunction = .linear)

    /// When the piece comes into force.
    public var start: RationalTime {
      switch self {
      case .step(let at, _): at
      case .ramp(let timeRange, _, _, _): timeRange.start
      }
    }
  }

  /// The pieces in time order.
  public var pieces: [Piece]

  /// A value that changes as the pieces say; none leaves the default for all time.
  public init(_ pieces: [Piece] = []) { self.pieces = pieces }

  /// The value in force after the last piece, `nil` without pieces.
  public var finalValue: Value? {
    switch pieces.last {
    case .step(_, let value): value
    case .ramp(_, _, let end, _): end
    case nil: nil
    }
  }

  /// The value in force at an instant, `nil` before the first piece.
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

/// A value with a linear path to another.
public protocol Interpolatable: Hashable, Codable, Sendable {
  /// The value `fraction` of the way to `end`; below 0 and above 1 the way is gone on.
  func interpolated(to end: Self, fraction: Double) -> Self
}

extension Double: Interpolatable {
  /// `self + (end - self) × fraction`.
  public func interpolated(to end: Double, fraction: Double) -> Double {
    self + (end - self) * fraction
  }
}

extension PixelRect: Interpolatable {
  /// Each edge on its own linear path.
  public func interpolated(to end: PixelRect, fraction: Double) -> PixelRect {
    PixelRect(
      x: x.interpolated(to: end.x, fraction: fraction),
      y: y.interpolated(to: end.y, fraction: fraction),
      width: width.interpolated(to: end.width, fraction: fraction),
      height: height.interpolated(to: end.height, fraction: fraction))
  }
}
