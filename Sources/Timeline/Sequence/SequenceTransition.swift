/// How one clip becomes the next while both play.
public struct SequenceTransition: Hashable, Sendable {
  /// The kinds of transition.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The outgoing clip, on top, fades from opaque to clear over the incoming one.
    case dissolve
    /// The outgoing clip, on top, fades out while the incoming one fades in, both over the background.
    case crossDissolve
    /// The incoming clip pushes the outgoing one out of the frame.
    case push
    /// An edge moves across the frame and uncovers the incoming clip.
    case wipe

    /// Whether the transition moves in a direction.
    public var isDirected: Bool { self == .push || self == .wipe }
  }

  /// Where the pictures, or the edge, move to.
  public enum Direction: String, Hashable, Codable, Sendable, CaseIterable {
    /// From the right edge to the left one.
    case left
    /// From the left edge to the right one.
    case right
    /// From the bottom edge to the top one.
    case up
    /// From the top edge to the bottom one.
    case down
  }

  /// What kind of transition it is.
  public var kind: Kind
  /// How long both clips play, in seconds; the output is shorter by as much.
  public var duration: RationalTime
  /// Where a push or a wipe moves; without meaning for the others.
  public var direction: Direction

  /// A transition from its parts.
  public init(kind: Kind, duration: RationalTime, direction: Direction = .left) {
    self.kind = kind
    self.duration = duration
    self.direction = direction
  }
}
