extension Ramps {
  /// Only the pieces that determine the value in `start ≤ t < end`.
  ///
  /// A constant value that started earlier becomes a step at `start`, so that equal curves are equal values.
  public func restricted(from start: RationalTime, to end: RationalTime) -> Ramps {
    let next = firstPiece(after: start)
    let later = pieces[next...].prefix { $0.start < end }
    guard next > 0 else { return Ramps(Array(later)) }
    let inForce: Piece =
      switch pieces[next - 1] {
      case .step(_, let value): .step(at: start, value: value)
      case .ramp(let range, _, let to, _) where range.end <= start: .step(at: start, value: to)
      case .ramp: pieces[next - 1]
      }
    return Ramps([inForce] + later)
  }

  /// The index of the first piece that starts after an instant.
  private func firstPiece(after time: RationalTime) -> Int {
    var (low, high) = (0, pieces.count)
    while low < high {
      let middle = (low + high) / 2
      if pieces[middle].start <= time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The same pieces, moved `offset` seconds earlier.
  public func earlier(by offset: RationalTime) throws(TimeError) -> Ramps {
    var moved: [Piece] = []
    for piece in pieces {
      switch piece {
      case .step(let at, let value):
        moved.append(.step(at: try at - offset, value: value))
      case .ramp(let range, let from, let to, let timing):
        let start = try range.start - offset
        moved.append(
          .ramp(
            timeRange: try TimeRange(start: start, duration: range.duration), from: from, to: to,
            timingFunction: timing))
      }
    }
    return Ramps(moved)
  }
}
