/// A server answered a check with another status than 200.
public struct UnexpectedStatus: Error, Hashable, Sendable, CustomStringConvertible {
  /// The URL that was requested.
  public let url: String
  /// The status of the response.
  public let status: Status
  /// The beginning of the response's body.
  public let body: String

  /// One line: the URL, the status and the body.
  public var description: String {
    let text = body.split(whereSeparator: \.isNewline).joined(separator: " ")
    return "\(url) responded with \(status)" + (text.isEmpty ? "" : ": \(text)")
  }
}
