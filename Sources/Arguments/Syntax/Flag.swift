/// An option without a value.
package struct Flag: Sendable {
  /// The flag's name and help.
  package private(set) var declaration: OptionDeclaration

  package init(_ name: String, letter: Character? = nil, help: String) {
    declaration = OptionDeclaration(
      name, letter: letter, placeholder: nil, isRepeatable: false, help: help)
  }

  /// The same flag, accepted under other names too.
  package func also(_ names: String...) -> Flag {
    var flag = self
    flag.declaration = declaration.also(names)
    return flag
  }
}
