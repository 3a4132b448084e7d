import FarmAPI
import HTTP

extension Operation {
  /// The problems with which every route may respond. They are found before the route handles the request, or their
  /// cause is the coordinator's state.
  static let commonProblems: [Status: [ProblemType]] = [
    .badRequest: [.malformedRequest, .damagedRequest, .blank],
    .unauthorized: [.unauthorized],
    .forbidden: [.forbidden],
    .requestTimeout: [.limitReached],
    .lengthRequired: [.malformedRequest],
    .contentTooLarge: [.tooLarge, .blank],
    .uriTooLong: [.blank],
    .misdirectedRequest: [.blank],
    .tooManyRequests: [.limitReached],
    .headerFieldsTooLarge: [.blank],
    .internalServerError: [.unavailable, .blank],
    .serviceUnavailable: [.unavailable, .limitReached, .blank],
    .insufficientStorage: [.unavailable],
  ]

  /// The types of the problems with which the route may respond, by status.
  var problemTypes: [Status: [ProblemType]] {
    var types = Self.commonProblems
    if takesJSON { types[.unsupportedMediaType] = [.mediaType] }
    for (status, type) in problems where types[status]?.contains(type) != true {
      types[status, default: []].append(type)
    }
    return types
  }
}

extension ProblemType {
  /// The type of a problem that its status describes completely (RFC 9457).
  static let blank = ProblemType(rawValue: "about:blank")
}
