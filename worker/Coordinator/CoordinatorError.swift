/// Why a call to the coordinator yielded nothing.
package enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  /// It cannot be reached or cannot answer now; later it may.
  case unavailable(String)
  /// It will not do it, however often it is asked.
  case refused(String)

  /// Whether an error is that the coordinator is unavailable.
  package static func isPassing(_ error: any Error) -> Bool {
    if case .unavailable = error as? CoordinatorError { true } else { false }
  }

  /// What failed, on what.
  package var description: String {
    switch self {
    case .unavailable(let message), .refused(let message): message
    }
  }
}
