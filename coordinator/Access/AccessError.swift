/// A request that is not admitted.
package struct AccessError: Error, Hashable, CustomStringConvertible {
  /// The kind of problem.
  package struct Code: Hashable, Sendable {
    private enum Kind { case unauthorized, forbidden, clientLimit, slotsTaken }
    private let kind: Kind
    /// The request has no valid token.
    package static let unauthorized = Code(kind: .unauthorized)
    /// The caller may not make the request.
    package static let forbidden = Code(kind: .forbidden)
    /// The client has too many open requests.
    package static let clientLimit = Code(kind: .clientLimit)
    /// All clients together have too many open requests.
    package static let slotsTaken = Code(kind: .slotsTaken)
  }

  package let code: Code
  /// The problem and the remedy.
  package let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  package var description: String { message }
}

extension AccessError {
  /// The error for a request without a valid token.
  static func unauthorized(_ message: String) -> AccessError {
    AccessError(.unauthorized, message)
  }

  /// The error for a request that the caller may not make.
  static func forbidden(_ message: String) -> AccessError { AccessError(.forbidden, message) }
}
