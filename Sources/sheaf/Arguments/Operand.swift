/// What a subcommand takes beside its options.
package struct Operand: Hashable, Sendable {
  /// How many of it there are.
  package enum Arity: Hashable, Sendable {
    /// One.
    case one
    /// Two, of which the placeholder names both.
    case two
    /// One or more.
    case oneOrMore
  }

  /// What stands for it in help, e.g. `PROJECT`.
  package var placeholder: String
  /// How many there are.
  package var arity: Arity
  /// What it is, in one sentence without a full stop.
  package var help: String

  /// An operand from its parts.
  package init(_ placeholder: String, _ arity: Arity = .one, help: String) {
    self.placeholder = placeholder
    self.arity = arity
    self.help = help
  }

  /// The operand as the usage line shows it.
  var signature: String { arity == .oneOrMore ? "\(placeholder)..." : placeholder }
}
