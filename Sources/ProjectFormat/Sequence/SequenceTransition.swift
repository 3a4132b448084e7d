import Timeline

/// A transition between two clips, during which both play.
public struct SequenceTransition: Hashable, Sendable {
  /// The kinds of transition.
  public enum Kind: String, Hashable, Codable, Sendable, CaseIterable {
    /// The outgoing clip, on top, fades from opaque to clear over the incoming one.
    case dissolve = "dissolve"
    /// The outgoing clip, on top, fades out while the incoming one fades in, both over the background.
    case crossDissolve = "crossDissolve"
    /// The incoming clip pushes the outgoing one out of the frame.
    case push = "push"
    /// The incoming clip moves in over the outgoing one, which stays in place.
    case slide = "slide"
    /// An edge moves across the frame and uncovers the incoming clip.
    case wipe = "wipe"
    /// The outgoing clip fades to a color until the middle, and the incoming one fades in from it.
    case fade = "fade"
    /// The incoming clip appears in a circle that grows from the frame's center.
    case iris = "iris"
    /// A hand that turns clockwise from 12 o'clock uncovers the incoming clip.
    case clockWipe = "clockWipe"
    /// The incoming clip appears first where a grayscale image is dark, and last where it is bright.
    case lumaWipe = "lumaWipe"

    /// Whether the transition moves in a direction.
    public var isDirected: Bool { self == .push || self == .slide || self == .wipe }
    /// Whether the transition goes through a color.
    public var isColored: Bool { self == .fade }
    /// Whether the transition has an edge that can be soft.
    public var hasEdge: Bool {
      self == .iris || self == .clockWipe || self == .lumaWipe || self == .wipe
    }
    /// Whether an image controls the transition.
    public var isMapped: Bool { self == .lumaWipe }
    /// The name with an indefinite article, for messages.
    var described: String { (self == .iris ? "an " : "a ") + rawValue }
  }

  /// How the audio fades from one clip to the next.
  public enum CrossFade: String, Hashable, Codable, Sendable, CaseIterable {
    /// The gains add up to 1, which keeps the loudness of identical sounds.
    case linear = "linear"
    /// The squares of the gains add up to 1, which keeps the loudness of unrelated sounds.
    case equalPower = "equalPower"
  }

  /// The kind of transition.
  public var kind: Kind
  /// The time during which both clips play, in seconds. The output is shorter by this time.
  public var duration: RationalTime
  /// The direction of a push, a slide or a wipe. Other transitions ignore it.
  public var direction: MotionDirection
  /// The color that a fade goes through. Other transitions ignore it.
  public var color: Color
  /// The progress of the pictures over time. A fade applies it to each of its halves.
  public var easing: TimingFunction
  /// The cross-fade of the audio, which is independent of the easing.
  public var audio: CrossFade
  /// The width of the edge, from 0 (hard) to 1 (as wide as the edge's whole path). Kinds without an edge ignore it.
  public var softness: Double
  /// The path (relative to the project file) or the URL of a luma wipe's image. Other transitions ignore it.
  public var map: String?

  /// Creates a transition.
  public init(
    kind: Kind, duration: RationalTime, direction: MotionDirection = .left, color: Color = .black,
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
