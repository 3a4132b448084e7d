import Timeline

extension Ramps {
  /// Whether the value is changing at an instant.
  func isMoving(at time: RationalTime) -> Bool {
    guard let piece = pieces.last(where: { $0.start <= time }),
      case .ramp(let range, let from, let to, _) = piece
    else { return false }
    return range.contains(time) && from != to
  }
}
