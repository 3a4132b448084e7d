/// Options that help lists together.
package struct OptionGroup: Hashable, Sendable {
  /// The title, e.g. `options`.
  package var title: String
  package var options: [OptionDeclaration]

  package init(_ title: String, _ options: [OptionDeclaration]) {
    self.title = title
    self.options = options
  }
}
