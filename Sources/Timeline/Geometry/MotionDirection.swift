/// The direction in which pictures or an edge move.
public enum MotionDirection: String, Hashable, Codable, Sendable, CaseIterable {
  /// From the right edge to the left one.
  case left = "left"
  /// From the left edge to the right one.
  case right = "right"
  /// From the bottom edge to the top one.
  case up = "up"
  /// From the top edge to the bottom one.
  case down = "down"
}
