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

  /// The kind of a value with a placeholder: `FILE` and `DIR` are paths.
  init(placeholder: String) {
    switch placeholder {
    case "FILE": self = .file
    case "DIR": self = .directory
    default: self = .text
    }
  }
}
