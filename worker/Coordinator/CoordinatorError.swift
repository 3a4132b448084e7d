/// The reason why a call to the coordinator failed.
package enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The coordinator could not be reached or could not answer, or something else answered in its place. The same call
  /// may succeed later.
  case unavailable(String)
  /// The coordinator refused the worker's token, which may be replaced.
  case tokenRefused(String)
  /// The coordinator has refused the worker's token for longer than the worker waits for a new one.
  case tokenRevoked(String)
  /// The coordinator refused the call, and repeating it will not help.
  case refused(String)

  /// Whether the same call may succeed later.
  package static func isPassing(_ error: any Error) -> Bool {
    switch error as? CoordinatorError {
    case .unavailable, .tokenRefused: true
    default: false
    }
  }

  package var description: String {
    switch self {
    case .unavailable(let message), .tokenRefused(let message), .tokenRevoked(let message),
      .refused(let message):
      message
    }
  }
}
