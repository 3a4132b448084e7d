/// An option without a value.
package struct Flag: Sendable {
  /// The flag's name and help.
  package let declaration: OptionDeclaration

  /// Creates a flag.
  package init(_ name: String, letter: Character? = nil, help: String) {
    declaration = OptionDeclaration(
      name, letter: letter, placeholder: nil, isRepeatable: false, help: help)
  }
}
