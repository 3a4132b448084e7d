extension Ramps {
  /// The pieces that decide the value over `start ≤ t < end`, and no others.
  ///
  /// A constant that began earlier is written as a step at `start`, so that equal courses are equal values.
  public func restricted(from start: RationalTime, to end: RationalTime) -> Ramps {
    let first = pieces.lastIndex { $0.start <= start }
    let later = pieces[(first.map { $0 + 1 } ?? 0)...].filter { $0.start < end }
    guard let first else { return Ramps(later) }
    let inForce: Piece =
      switch pieces[first] {
      case .step(_, let value): .step(at: start, value: value)
      case .ramp(let range, _, let to) where range.end <= start: .step(at: start, value: to)
      case .ramp: pieces[first]
      }
    return Ramps([inForce] + later)
  }

  /// The same course `offset` seconds earlier.
  public func earlier(by offset: RationalTime) throws(TimeError) -> Ramps {
    var moved: [Piece] = []
    for piece in pieces {
      switch piece {
      case .step(let at, let value):
        moved.append(.step(at: try at - offset, value: value))
      case .ramp(let range, let from, let to):
        let start = try range.start - offset
        moved.append(
          .ramp(
            timeRange: try TimeRange(start: start, duration: range.duration), from: from, to: to))
      }
    }
    return Ramps(moved)
  }
}
