/// The declaration of an option, from which its help and its parsing are derived.
package struct OptionDeclaration: Hashable, Sendable {
  /// The name after the two dashes, e.g. `output`.
  package var name: String
  /// The letter after a single dash, if it has one.
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
  /// The flag's name and help.
  package let declaration: OptionDeclaration

  /// Creates a flag.
  package init(_ name: String, letter: Character? = nil, help: String) {
    declaration = OptionDeclaration(
      name: name, letter: letter, placeholder: nil, isRepeatable: false, help: help)
  }
}

/// An option with a value that is read as `Value`.
package struct Option<Value: ArgumentValue>: Sendable {
  /// The option's name, placeholder and help.
  package let declaration: OptionDeclaration

  /// Creates an option.
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
  /// Reads a value. Returns `nil` if the text is not a valid one.
  init?(argument: String)
}

extension String: ArgumentValue {
  package static var expectation: String { "a non-empty string" }

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self = argument
  }
}

/// A count from 1 to 1024.
package struct PositiveCount: ArgumentValue {
  package static let expectation = "a whole number from 1 to 1024"

  /// The number.
  package let value: Int

  package init?(argument: String) {
    guard let value = Int(argument), (1...1024).contains(value) else { return nil }
    self.value = value
  }
}
