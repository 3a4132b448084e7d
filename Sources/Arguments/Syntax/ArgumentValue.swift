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
