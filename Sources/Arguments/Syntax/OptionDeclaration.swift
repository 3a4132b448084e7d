/// The declaration of an option, from which its help, its completions and its parsing are derived.
package struct OptionDeclaration: Hashable, Sendable {
  /// The name after the two dashes, e.g. `output`.
  package var name: String
  /// Other names under which it is accepted, which help does not list.
  package private(set) var aliases: [String] = []
  /// The letter after a single dash, if it has one.
  package var letter: Character?
  /// The value's placeholder in help, e.g. `FILE`; `nil` for a flag, which has no value.
  package var placeholder: String?
  package var kind: ValueKind
  /// Whether it may be given more than once.
  package var isRepeatable: Bool
  /// Whether the usage line shows it, because the command needs it.
  package var isRequired = false
  /// A description of the option, in one sentence without a final period.
  package var help: String

  package init(
    _ name: String, letter: Character?, placeholder: String?, kind: ValueKind? = nil,
    isRepeatable: Bool, help: String
  ) {
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.kind = kind ?? ValueKind(placeholder: placeholder ?? "")
    self.isRepeatable = isRepeatable
    self.help = help
  }

  /// The same option for a command that needs it.
  package func required() -> OptionDeclaration {
    var option = self
    option.isRequired = true
    return option
  }

  /// The same option, accepted under other names too.
  package func also(_ names: [String]) -> OptionDeclaration {
    var option = self
    option.aliases += names
    return option
  }

  /// The option's long form with its value, e.g. `--output FILE`.
  package var longForm: String { "--\(name)" + (placeholder.map { " \($0)" } ?? "") }

  /// The option's forms as help lists them, e.g. `-o, --output FILE`.
  package var signature: String { (letter.map { "-\($0), " } ?? "    ") + longForm }
}
