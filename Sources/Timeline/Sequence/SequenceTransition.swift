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
    /// The incoming clip moves in over the outgoing one, which rests.
    case slide
    /// An edge moves across the frame and uncovers the incoming clip.
    case wipe
    /// The outgoing clip fades to a color until the middle, and the incoming one fades in from it.
    case fade
    /// The incoming clip shows in a circle that grows from the frame's centre.
    case iris
    /// A hand that turns clockwise from 12 o'clock uncovers the incoming clip.
    case clockWipe
    /// The incoming clip shows where a grey-scale image is dark first, and where it is bright last.
    case lumaWipe

    /// Whether the transition moves in a direction.
    public var isDirected: Bool { self == .push || self == .slide || self == .wipe }
    /// Whether the transition goes through a color.
    public var isColored: Bool { self == .fade }
    /// Whether the transition has an edge that can be soft.
    public var hasEdge: Bool {
      self == .iris || self == .clockWipe || self == .lumaWipe || self == .wipe
    }
    /// Whether the transition takes its course from an image.
    public var isMapped: Bool { self == .lumaWipe }
    /// The kind with its article, for messages.
    var described: String { (self == .iris ? "an " : "a ") + rawValue }
  }

  /// The direction in which the pictures, or the edge, move.
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

  /// How the sound of one clip becomes that of the next.
  public enum CrossFade: String, Hashable, Codable, Sendable, CaseIterable {
    /// One gain falls by as much as the other rises: the sum of equal sounds stays as loud as it was.
    case linear
    /// One power falls by as much as the other rises: the sum of sounds that have nothing in common does.
    case equalPower
  }

  /// The kind of transition.
  public var kind: Kind
  /// The time for which both clips play, in seconds. It shortens the output by the same amount.
  public var duration: RationalTime
  /// The direction of a push, a slide or a wipe. Other transitions ignore it.
  public var direction: Direction
  /// The color that a fade goes through. Other transitions ignore it.
  public var color: Color
  /// How the pictures' way is spread over the time; a fade goes it in each of its halves.
  public var easing: TimingFunction
  /// The cross-fade of the sound, which is independent of the easing.
  public var audio: CrossFade
  /// How wide the edge of a wipe or an iris is: 0 is hard, 1 as wide as its whole way; without meaning for the others.
  public var softness: Double
  /// The path of a luma wipe's image, relative to the project file; without meaning for the others.
  public var map: String?

  /// Creates a transition.
  public init(
    kind: Kind, duration: RationalTime, direction: Direction = .left, color: Color = .black,
    easing: TimingFunction = .linear, audio: CrossFade = .linear,
    softness: Double = 0, map: String? = nil
  ) {
    self.kind = kind
    self.duration = duration
    self.direction = direction
    self.color = color
    self.easing = easing
    self.audio = audio
    self.softness = softness
    self.map = map
  }
}
