/// The sizes of letters that all templates share, so that titles of a style look like one family.
struct TitleSizes: Sendable {
  /// Capitals with wide spacing, and corner bugs.
  let label: String
  /// A second text in lower case.
  let line: String
  /// The columns of credits.
  let credits: String
  /// The name in a lower third.
  let name: String
  /// Headings of chapters and end cards, and openers in heavy capitals.
  let heading: String
  /// The title of the film.
  let display: String

  /// The sizes of the styles `minimal` and `broadcast`.
  static let sans = TitleSizes(
    label: "3vmin", line: "3.6vmin", credits: "4.2vmin", name: "5.4vmin", heading: "9vmin",
    display: "12vmin")
  /// The sizes of the style `editorial`, whose family has smaller letters.
  static let serif = TitleSizes(
    label: "3.5vmin", line: "4.2vmin", credits: "4.8vmin", name: "6.2vmin", heading: "10.5vmin",
    display: "13.5vmin")
}
