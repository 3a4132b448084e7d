/// A value that an option can have.
package protocol ArgumentValue: Sendable {
  /// A description of accepted values, e.g. `a whole number from 1`.
  static var expectation: String { get }
  /// Reads a value. Returns `nil` if the text is not a valid one.
  init?(argument: String)
  /// The value that was probably meant by a text that is not a valid one; `nil` if there is none.
  static func suggestion(for text: String) -> String?
}

extension ArgumentValue {
  package static func suggestion(for text: String) -> String? { nil }
}

extension String: ArgumentValue {
  package static var expectation: String { "a non-empty string" }

  package init?(argument: String) {
    guard !argument.isEmpty else { return nil }
    self = argument
  }
}
