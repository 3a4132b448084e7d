/// A path with parameters, such as `/jobs/{id}/output`.
struct PathPattern: Hashable, Sendable {
  private enum Segment: Hashable, Sendable {
    case literal(String)
    case parameter(String)
  }

  private let segments: [Segment]

  /// Parses a pattern. A segment in braces is a parameter.
  init(_ pattern: String) {
    precondition(pattern.hasPrefix("/"), "a route's pattern begins with '/': \(pattern)")
    segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map {
      $0.hasPrefix("{") && $0.hasSuffix("}")
        ? .parameter(String($0.dropFirst().dropLast())) : .literal(String($0))
    }
  }

  /// Returns the parameters if the pattern matches `path`. A parameter matches any segment that is not empty.
  func match(_ path: [String]) -> [String: String]? {
    guard path.count == segments.count else { return nil }
    var parameters: [String: String] = [:]
    for (segment, text) in zip(segments, path) {
      switch segment {
      case .literal(let literal):
        guard literal == text else { return nil }
      case .parameter(let name):
        guard !text.isEmpty else { return nil }
        parameters[name] = text
      }
    }
    return parameters
  }

  /// Whether this pattern has priority if both match. At the first difference, a literal has priority over a parameter.
  func precedes(_ other: PathPattern) -> Bool {
    for (left, right) in zip(segments, other.segments) {
      switch (left, right) {
      case (.literal, .parameter): return true
      case (.parameter, .literal): return false
      default: continue
      }
    }
    return false
  }
}
