/// The kind of an option's value or of an operand, by which shells complete it.
package enum ValueKind: Hashable, Sendable {
  /// Text that cannot be completed.
  case text
  /// The path of a file.
  case file
  /// The path of a directory.
  case directory
  /// One of these words.
  case choice([String])

  /// The choice that was probably meant by another word.
  func nearest(to word: String) -> String? {
    guard case .choice(let words) = self else { return nil }
    return Suggestion.nearest(to: word, among: words)
  }

  /// The kind of a value with a placeholder: `FILE` and `DIR` are paths.
  init(placeholder: String) {
    switch placeholder {
    case "FILE": self = .file
    case "DIR": self = .directory
    default: self = .text
    }
  }
}
