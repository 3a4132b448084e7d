import Timeline

/// A title of a sequence: a template with its text. It is expanded into animation layers.
public struct SequenceTitle: Hashable, Sendable {
  /// The kind of title.
  public enum Template: String, Hashable, Sendable, CaseIterable {
    /// A name and a role, at the lower left.
    case lowerThird = "lower-third"
    /// The title of the film, in the middle of the picture.
    case opener = "opener"
    /// The beginning of a part: a number or a heading and its name.
    case chapter = "chapter"
    /// The last picture: thanks, an address.
    case endCard = "end-card"
    /// Roles and names that roll from the bottom to the top. Each line of the text is `Role: Name`.
    case credits = "credits"
    /// A small text in the upper right corner.
    case cornerBug = "corner-bug"

    /// Whether the template shows a second text.
    var hasSubtitle: Bool { self != .credits && self != .cornerBug }
  }

  /// The look of a title.
  public enum Style: String, Hashable, Sendable, CaseIterable {
    /// Quiet letters with a soft shadow or scrim.
    case minimal = "minimal"
    /// Solid plates with an accent color, for news and sports.
    case broadcast = "broadcast"
    /// A serif family, fine rules and wide margins, for documentaries.
    case editorial = "editorial"
  }

  /// The kind of title.
  public var template: Template
  /// The look.
  public var style: Style
  /// The main text.
  public var text: String
  /// The second text; `nil` for none.
  public var subtitle: String?
  /// The start in the output, in seconds.
  public var start: RationalTime
  /// The length in seconds; `nil` until the end of the sequence.
  public var duration: RationalTime?
  /// The font family; `nil` for the style's.
  public var family: String?
  /// The accent color; `nil` for the style's.
  public var color: Color?

  /// Creates a title.
  public init(
    _ template: Template, style: Style = .minimal, text: String, subtitle: String? = nil,
    start: RationalTime = .zero, duration: RationalTime? = nil, family: String? = nil,
    color: Color? = nil
  ) {
    self.template = template
    self.style = style
    self.text = text
    self.subtitle = subtitle
    self.start = start
    self.duration = duration
    self.family = family
    self.color = color
  }

  /// The shortest title: its entrance and its exit take a second each at most.
  static let shortest = RationalTime(2)
  /// The most bytes of the texts.
  static let textLength = 10_000
  /// The most lines of credits.
  static let lineCount = 200
}
