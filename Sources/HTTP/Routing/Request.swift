import Foundation

/// A request with its entire body.
@dynamicMemberLookup
public struct Request: Hashable, Sendable {
  /// The request without its body.
  public var head: RequestHead
  /// The whole body, within the route's size limit; empty if there is none.
  public let body: Data

  init(head: RequestHead, body: Data) {
    self.head = head
    self.body = body
  }

  /// Creates a request in process, for ``Router/respond(to:onError:)``.
  ///
  /// - Parameters:
  ///   - target: a path with an optional query, such as `/jobs?state=queued`.
  ///   - peer: the address of the client.
  /// - Throws: ``HTTPError`` 400 if `target` is invalid.
  public init(
    _ method: Method, _ target: String, headers: Headers = [:], body: Data = Data(),
    peer: String = ""
  ) throws(HTTPError) {
    guard let parsed = RequestTarget(parsing: target) else {
      throw HTTPError(.badRequest, detail: "the request target is invalid: \(target)")
    }
    var headers = headers
    if !body.isEmpty { headers["Content-Length"] = String(body.count) }
    head = RequestHead(method: method, target: parsed, headers: headers, peer: peer)
    self.body = body
  }

  /// A member of the head.
  public subscript<Value>(dynamicMember member: KeyPath<RequestHead, Value>) -> Value {
    head[keyPath: member]
  }

  /// The value of the parameter `{name}` of the route's pattern.
  ///
  /// - Throws: ``HTTPError`` 404 if the pattern has no such parameter.
  public func parameter(_ name: String) throws(HTTPError) -> String {
    try head.parameter(name)
  }

  /// Decodes the body as JSON.
  ///
  /// - Throws: ``HTTPError`` 400 that names the first invalid place in the body.
  public func json<T: Decodable>(
    _ type: T.Type = T.self, decoder: JSONDecoder = JSONDecoder()
  ) throws(HTTPError) -> T {
    do {
      return try decoder.decode(type, from: body)
    } catch let error as DecodingError {
      throw HTTPError(.badRequest, detail: "the body cannot be read: \(error.placeAndReason)")
    } catch {
      throw HTTPError(.badRequest, detail: "the body cannot be read as JSON")
    }
  }
}

extension DecodingError {
  /// The path in the document and the reason, without the names of Swift types.
  var placeAndReason: String {
    let (context, missing): (Context, String?) =
      switch self {
      case .keyNotFound(let key, let context): (context, "'\(key.stringValue)' is missing")
      case .valueNotFound(_, let context): (context, "a value is missing")
      case .typeMismatch(_, let context): (context, "the value has the wrong type")
      case .dataCorrupted(let context): (context, nil)
      @unknown default: (Context(codingPath: [], debugDescription: "unreadable"), nil)
      }
    let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }
    return "$\(path.joined()): \(missing ?? context.debugDescription)"
  }
}
