/// The effective ramp of a layer's opacity, transform or crop, as returned by ``LayerInstruction/getOpacityRamp(for:)``
/// and similar calls. A step is a flat ramp.
public struct EffectiveRamp<Value: Interpolatable>: Hashable, Sendable {
  /// The value at the start.
  public let startValue: Value
  /// The value at the end.
  public let endValue: Value
  /// The start, in seconds.
  public let start: RationalTime
  /// The end, in seconds; `nil` for a final step, which never ends.
  public let end: RationalTime?
  /// The progress from the first value to the second over time.
  public let timingFunction: TimingFunction

  /// The time range of the ramp; `nil` if it never ends.
  public var timeRange: TimeRange? { end.flatMap { try? TimeRange(start: start, end: $0) } }
}

extension Ramps {
  /// The ramp whose time range contains an instant, or else the first one that starts after it; `nil` beyond the last.
  ///
  /// A step is a flat ramp that lasts until the next piece.
  func effectiveRamp(at time: RationalTime) -> EffectiveRamp<Value>? {
    for (index, piece) in pieces.enumerated() {
      let next = index + 1 < pieces.count ? pieces[index + 1].start : nil
      // If two pieces start at the same time, the second one is in effect.
      if next == piece.start { continue }
      let ramp = piece.effective(until: next)
      if ramp.end.map({ time < $0 }) ?? true { return ramp }
    }
    return nil
  }
}

extension Ramps.Piece {
  fileprivate func effective(until next: RationalTime?) -> EffectiveRamp<Value> {
    switch self {
    case .step(let at, let value):
      EffectiveRamp(
        startValue: value, endValue: value, start: at, end: next, timingFunction: .linear)
    case .ramp(let range, let from, let to, let timing):
      EffectiveRamp(
        startValue: from, endValue: to, start: range.start, end: range.end, timingFunction: timing)
    }
  }
}
