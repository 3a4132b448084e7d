import FarmAPI
import HTTP

/// A failure of a call that may succeed if it is repeated: the coordinator, or a proxy in front of it, could not
/// answer.
package struct TransientFailure: Error, Hashable, Sendable {
  /// A description of the failure.
  package let reason: String
  /// Whether nothing listens at the coordinator's address.
  package let isUnreachable: Bool
  /// Whether the host's name has no address.
  package let isUnknownHost: Bool
  /// A text that changes while the coordinator works on the answer; `nil` if it has not reported that it does.
  package let progress: String?

  /// Creates a failure from a transfer error. Returns `nil` if repeating it would not help.
  init?(_ error: ClientError) {
    switch error.code {
    case .localFile, .invalidURL, .invalidRequest, .secureConnectionFailed, .responseTooLarge:
      return nil
    case .unexpectedStatus:
      guard let status = error.status, Self.isTransient(status, error.problem) else { return nil }
    default: break
    }
    reason = error.message
    isUnreachable = [.couldNotConnect, .couldNotResolve].contains(error.code)
    isUnknownHost = error.code == .couldNotResolve
    progress = nil
  }

  /// Creates a failure from a response that is not a valid answer of the coordinator. Returns `nil` if it is one.
  ///
  /// - Parameter hasBody: whether the response has the body that its `Content-Digest` was made for.
  init?(_ response: ClientResponse, hasBody: Bool = true) {
    let digest = response.headers[ContentDigest.headerName]
    let isDamaged =
      hasBody && digest.map { !ContentDigest.holds($0, for: response.body) } ?? false
    guard isDamaged || Self.isTransient(response.status, response.problem) else { return nil }
    reason =
      isDamaged
      ? "the response was damaged in transit"
      : response.problem?.detail ?? "the server responded with \(response.status)"
    isUnreachable = false
    isUnknownHost = false
    let isCheck = response.problem?.type == ProblemType.outputCheck.rawValue
    progress = isCheck ? response.problem?.members[ProblemType.bytesReadMember] : nil
  }

  init(reason: String) {
    self.reason = reason
    isUnreachable = false
    isUnknownHost = false
    progress = nil
  }

  private static func isTransient(_ status: Status, _ problem: ProblemDocument?) -> Bool {
    if problem?.type == ProblemType.damagedRequest.rawValue { return true }
    // 507: the coordinator's disk is full.
    return [408, 425, 502, 503, 504, 507].contains(status.rawValue)
  }
}
