import Foundation

/// The body of an error response (RFC 9457, `application/problem+json`).
public struct ProblemDocument: Hashable, Sendable {
  /// The stable name of the kind of problem, as a URI reference.
  public var type: String
  /// A short phrase, the same for every problem of this type.
  public var title: String
  /// The three-digit code, which is also the status of the response.
  public var status: Int
  /// The specific problem, and what to do about it.
  public var detail: String
  /// Further members, all of which are strings.
  public var members: [String: String]

  /// The media type of the document.
  public static let mediaType = "application/problem+json"

  /// Creates a problem document.
  public init(
    type: String, title: String, status: Int, detail: String, members: [String: String] = [:]
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.members = members
  }
}

extension ProblemDocument: Codable {
  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }

    static let type = Key("type")
    static let title = Key("title")
    static let status = Key("status")
    static let detail = Key("detail")
    static let registered: Set<String> = ["type", "title", "status", "detail"]
  }

  /// Decodes the JSON document. Members that RFC 9457 declares optional may be missing, and further members that are
  /// not strings are ignored.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    type = try container.decodeIfPresent(String.self, forKey: .type) ?? "about:blank"
    title = try container.decodeIfPresent(String.self, forKey: .title) ?? ""
    status = try container.decodeIfPresent(Int.self, forKey: .status) ?? 0
    detail = try container.decodeIfPresent(String.self, forKey: .detail) ?? ""
    members = [:]
    for key in container.allKeys where !Key.registered.contains(key.stringValue) {
      members[key.stringValue] = try? container.decode(String.self, forKey: key)
    }
  }

  /// Encodes the JSON document.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    for (name, value) in members where !Key.registered.contains(name) {
      try container.encode(value, forKey: Key(name))
    }
    try container.encode(type, forKey: .type)
    try container.encode(title, forKey: .title)
    try container.encode(status, forKey: .status)
    try container.encode(detail, forKey: .detail)
  }
}

/// An error that a handler throws to respond with a problem document.
public struct HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status of the response.
  public var status: Status
  /// The body of the response.
  public var problem: ProblemDocument
  /// Further headers of the response.
  public var headers: Headers

  /// Creates an error.
  ///
  /// - Parameters:
  ///   - type: the stable name of the kind of problem.
  ///   - title: the phrase for `type`; by default the phrase of the status.
  ///   - detail: the specific problem and what to do about it. It is shown to the client.
  public init(
    _ status: Status, type: String = "about:blank", title: String? = nil, detail: String,
    headers: Headers = [:], members: [String: String] = [:]
  ) {
    self.status = status
    self.headers = headers
    problem = ProblemDocument(
      type: type, title: title ?? status.phrase, status: status.rawValue, detail: detail,
      members: members)
  }

  /// The status and the detail.
  public var description: String { "\(status): \(problem.detail)" }
}
