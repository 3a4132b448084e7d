/// Places in project files, whatever the positions in lists. Every index of a pattern is written as 0.
enum FindingPlaces: Hashable, Sendable {
  /// The values at a path.
  case at(FindingPath)
  /// The values at a path and all parts of them.
  case within(FindingPath)
  /// The values whose path ends in this way.
  case ending(FindingPath)

  /// Whether the path with a shape is one of these places.
  func contains(shape: FindingPath) -> Bool {
    switch self {
    case .at(let pattern): shape == pattern
    case .within(let pattern): shape.isWithin(pattern)
    case .ending(let pattern): shape.ends(in: pattern)
    }
  }
}

extension FindingPath {
  /// The path with the index 0 in place of every other one.
  var shape: FindingPath {
    FindingPath(components.map { if case .index = $0 { .index(0) } else { $0 } })
  }
}
