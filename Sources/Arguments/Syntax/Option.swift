/// An option with a value that is read as `Value`.
package struct Option<Value: Sendable>: Sendable {
  /// The option's name, placeholder and help.
  package private(set) var declaration: OptionDeclaration
  /// A description of accepted values, e.g. `a whole number from 1 to 256`.
  package let expectation: String
  /// Reads a value. Returns `nil` if the text is not a valid one.
  let read: @Sendable (String) -> Value?
  /// The value that was probably meant by a text that is not a valid one.
  private var meant: @Sendable (String) -> String? = { _ in nil }

  /// Creates an option whose values are read by a function.
  package init(
    _ name: String, letter: Character? = nil, value placeholder: String, kind: ValueKind? = nil,
    isRepeatable: Bool = false, expecting expectation: String, help: String,
    read: @escaping @Sendable (String) -> Value?
  ) {
    declaration = OptionDeclaration(
      name, letter: letter, placeholder: placeholder, kind: kind, isRepeatable: isRepeatable,
      help: help)
    self.expectation = expectation
    self.read = read
  }

  /// Reads a value that was written elsewhere than on the command line. Returns `nil` if the text is not a valid one.
  package func value(of text: String) -> Value? { read(text) }

  /// The value that was probably meant by a text that is not a valid one: a similar word, or the number with a decimal
  /// point instead of a comma.
  func suggestion(for text: String) -> String? {
    if let word = declaration.kind.nearest(to: text) ?? meant(text) { return word }
    let pointed = text.replacing(",", with: ".")
    return pointed != text && read(pointed) != nil ? pointed : nil
  }

  /// The same option, accepted under other names too.
  package func also(_ names: String...) -> Option {
    var option = self
    option.declaration = declaration.also(names)
    return option
  }
}

extension Option where Value: ArgumentValue {
  /// Creates an option whose values are read by their type.
  package init(
    _ name: String, letter: Character? = nil, value placeholder: String, kind: ValueKind? = nil,
    isRepeatable: Bool = false, help: String
  ) {
    self.init(
      name, letter: letter, value: placeholder, kind: kind, isRepeatable: isRepeatable,
      expecting: Value.expectation, help: help
    ) { Value(argument: $0) }
    meant = { Value.suggestion(for: $0) }
  }
}

extension Option where Value: CaseIterable & RawRepresentable, Value.RawValue == String {
  /// Creates an option whose value is one of a type's cases, in upper or lower case.
  ///
  /// - Parameter synonyms: further words for a case, in lower case.
  package init(
    _ name: String, choice placeholder: String, synonyms: [String: Value] = [:], help: String
  ) {
    let words = Value.allCases.map(\.rawValue)
    self.init(
      name, value: placeholder, kind: .choice(words),
      expecting: "one of \(words.joined(separator: ", "))", help: help
    ) { text in
      Value(rawValue: text) ?? synonyms[text.lowercased()]
        ?? Value.allCases.first { $0.rawValue.lowercased() == text.lowercased() }
    }
  }
}
