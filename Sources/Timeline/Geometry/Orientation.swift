/// One of the eight display matrices that map pixels onto pixels: optional mirroring, then clockwise quarter turns.
public struct Orientation: Hashable, Codable, Sendable {
  /// Clockwise quarter turns, 0 to 3, applied after mirroring.
  public var quarterTurns: Int
  /// Whether the picture is mirrored horizontally before it is rotated.
  public var isMirrored: Bool

  /// The picture as it is stored.
  public static let identity = Orientation(quarterTurns: 0, isMirrored: false)

  /// Creates an orientation from clockwise quarter turns (modulo 4) after optional mirroring.
  public init(quarterTurns: Int, isMirrored: Bool) {
    self.quarterTurns = ((quarterTurns % 4) + 4) % 4
    self.isMirrored = isMirrored
  }

  /// Whether the rotation swaps width and height.
  public var swapsSides: Bool { quarterTurns % 2 == 1 }
}
