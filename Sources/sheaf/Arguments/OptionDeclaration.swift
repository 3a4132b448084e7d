/// An option as it is declared: what help prints and what parsing accepts come from here.
package struct OptionDeclaration: Hashable, Sendable {
  /// The name after the two dashes, e.g. `output`.
  package var name: String
  /// The letter after a single dash, where it has one.
  package var letter: Character?
  /// The value's placeholder in help, e.g. `FILE`; `nil` for a flag, which has no value.
  package var placeholder: String?
  /// Whether it may be given more than once.
  package var isRepeatable: Bool
  /// A description of the option, in one sentence without a full stop.
  package var help: String

  /// The option as a user writes it, e.g. `-o, --output FILE`.
  package var signature: String {
    let short = letter.map { "-\($0), " } ?? "    "
    return short + "--\(name)" + (placeholder.map { " \($0)" } ?? "")
  }
}

/// An option without a value.
package struct Flag: Sendable {
  /// How it is written and what it does.
  package let declaration: OptionDeclaration

  /// A flag by name.
  package init(_ name: String, letter: Character? = nil, help: String) {
    declaration = OptionDeclaration(
      name: name, letter: letter, placeholder: nil, isRepeatable: false, help: help)
  }
}

/// An option with a value that is read as `Value`.
package struct Option<Value: ArgumentValue>: Sendable {
  /// How it is written and what it does.
  package let declaration: OptionDeclaration

  /// An option by name.
  package init(
    _ name: String, letter: Character? = nil, value placeholder: String, isRepeatable: Bool = false,
    help: String
  ) {
    declaration = OptionDeclaration(
      name: name, letter: letter, placeholder: placeholder, isRepeatable: isRepeatable, help: help)
  }
}

/// A value that an option can have.
package protocol ArgumentValue: Sendable {
  /// A description of accepted values, e.g. `a whole number from 1`.
  static var expectation: String { get }
  /// The value of a text, `nil` if it is none.
  init?(argument: String)
}

extension String: ArgumentValue {
  package static var expectation: String { "a text" }

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self = argument
  }
}

/// A number of things, at least one.
package struct PositiveCount: ArgumentValue {
  package static let expectation = "a whole number from 1 to 1024"

  /// The number.
  package let value: Int

  package init?(argument: String) {
    guard let value = Int(argument), (1...1024).contains(value) else { return nil }
    self.value = value
  }
}
