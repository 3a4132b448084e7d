import FarmAPI
import HTTP

/// A response from the coordinator itself, not from a proxy or another server in its place.
enum CoordinatorAnswer: Sendable {
  case success(ClientResponse)
  /// A temporary refusal, with its message.
  case passing(String)
  /// A refusal of the worker's token, with its message.
  case unauthorized(String)
  /// Any other refusal, with its message.
  case refusal(ProblemType, String)

  /// Interprets a response. Returns `nil` if it is not the coordinator's.
  init?(_ response: ClientResponse) {
    if response.status.isSuccess {
      self = .success(response)
      return
    }
    guard let problem = response.problem, problem.type.hasPrefix(ProblemType.prefix) else {
      return nil
    }
    let type = ProblemType(rawValue: problem.type)
    switch response.status {
    case .unauthorized where type == .unauthorized, .forbidden where type == .forbidden:
      self = .unauthorized(problem.detail)
    case let status where status.isPassing || type == .damagedRequest:
      self = .passing(problem.detail)
    default: self = .refusal(type, problem.detail)
    }
  }
}
