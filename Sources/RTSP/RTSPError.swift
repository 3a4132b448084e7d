/// The reason why a server's stream cannot be played.
package struct RTSPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error.
  package struct Code: Hashable, Sendable {
    private enum Value { case unauthorized, refused, unsupported, invalid }

    private let value: Value

    /// The server requires a user and a password, or rejects those that were sent.
    package static let unauthorized = Code(value: .unauthorized)
    /// The server rejected a request.
    package static let refused = Code(value: .refused)
    /// The server requires or offers only what is not supported.
    package static let unsupported = Code(value: .unsupported)
    /// The server violates the protocol.
    package static let invalid = Code(value: .invalid)
  }

  /// The kind of the error.
  package let code: Code
  /// The problem, and the remedy if there is one, without a subject.
  package let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
