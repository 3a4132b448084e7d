/// The layers of a template in a style, for a title of five seconds.
///
/// The layers are those of a project file in relative units. A text in braces is a marker: `{text}` and `{subtitle}`
/// (`{TEXT}` and `{SUBTITLE}` in capitals), `{roles}`, `{names}` and `{height}` of credits, `{font}`, `{accent}` and
/// `{onAccent}`, a color of letters on the accent color. `{+N}` is N for each line of the text after the first. `[A|B]` is
/// A with a subtitle, and B without one.
struct TitleDesign: Sendable {
  /// The font family.
  let family: String
  /// The accent color.
  let accent: String
  /// The greatest width of a line of text, as a fraction of the frame's.
  let width: Double
  /// The layers as JSON.
  let layers: String

  static func of(_ template: SequenceTitle.Template, _ style: SequenceTitle.Style) -> TitleDesign {
    switch (template, style) {
    case (.lowerThird, .minimal): lowerThirdMinimal
    case (.lowerThird, .broadcast): lowerThirdBroadcast
    case (.lowerThird, .editorial): lowerThirdEditorial
    case (.opener, .minimal): openerMinimal
    case (.opener, .broadcast): openerBroadcast
    case (.opener, .editorial): openerEditorial
    case (.chapter, .minimal): chapterMinimal
    case (.chapter, .broadcast): chapterBroadcast
    case (.chapter, .editorial): chapterEditorial
    case (.endCard, .minimal): endCardMinimal
    case (.endCard, .broadcast): endCardBroadcast
    case (.endCard, .editorial): endCardEditorial
    case (.credits, .minimal): creditsMinimal
    case (.credits, .broadcast): creditsBroadcast
    case (.credits, .editorial): creditsEditorial
    case (.cornerBug, .minimal): cornerBugMinimal
    case (.cornerBug, .broadcast): cornerBugBroadcast
    case (.cornerBug, .editorial): cornerBugEditorial
    }
  }

  /// The family of the styles `minimal` and `broadcast`.
  static let sans = "Open Sans"
  /// The family of the style `editorial`.
  static let serif = "EB Garamond"
}
