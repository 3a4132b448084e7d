/// The operand of a command: its arguments that are not options.
package struct Operand: Hashable, Sendable {
  /// The number of values of an operand.
  package enum Arity: Hashable, Sendable {
    case one
    /// Two, both named by the placeholder.
    case two
    /// None or one.
    case optional
    /// One or two, both named by the placeholder.
    case oneOrTwo
    case oneOrMore
  }

  /// Its placeholder in help, e.g. `PROJECT`.
  package var placeholder: String
  /// The number of its values.
  package var arity: Arity
  package var kind: ValueKind
  /// A description, in one sentence without a final period.
  package var help: String

  package init(
    _ placeholder: String, _ arity: Arity = .one, kind: ValueKind? = nil, help: String
  ) {
    self.placeholder = placeholder
    self.arity = arity
    self.kind = kind ?? ValueKind(placeholder: placeholder)
    self.help = help
  }

  /// The operand as the usage line shows it.
  var signature: String {
    switch arity {
    case .oneOrMore: "\(placeholder)..."
    case .optional: "[\(placeholder)]"
    case .one, .two, .oneOrTwo: placeholder
    }
  }
}

extension Operand.Arity {
  /// The maximum number of values.
  var most: Int {
    switch self {
    case .one, .optional: 1
    case .two, .oneOrTwo: 2
    case .oneOrMore: .max
    }
  }
}
