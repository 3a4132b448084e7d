/// A request without its body.
public struct RequestHead: Hashable, Sendable {
  /// The method in the request line.
  public let method: Method
  /// The decoded segments of the path.
  let segments: [String]
  /// The parameters after the path, with percent escapes decoded.
  public let query: Query
  /// The header fields in the order in which they arrived; a name may occur several times.
  public let headers: Headers
  /// The address of the client without its port; usually empty for a request that was created in process.
  public let peer: String
  /// Whether the request came over TLS.
  public internal(set) var isSecure = false
  /// Whether the client presented a certificate that the server's client authority signed.
  public internal(set) var hasTrustedCertificate = false
  /// The decoded values of the pattern's parameters.
  public internal(set) var parameters: [String: String] = [:]

  init(
    method: Method, target: RequestTarget, headers: Headers, peer: String
  ) {
    self.method = method
    segments = target.segments
    query = target.query
    self.headers = headers
    self.peer = peer
  }

  /// The decoded path, for messages.
  public var path: String { "/" + segments.joined(separator: "/") }

  /// The announced length of the body in bytes, or `nil` if the client does not announce it. It can be any number, even
  /// one that far exceeds every limit.
  public var contentLength: Int64? {
    hasChunkedBody ? nil : headers["Content-Length"].map { Int64($0) ?? .max } ?? 0
  }

  /// The value of the parameter `{name}` of the route's pattern.
  ///
  /// - Throws: ``HTTPError`` 404 if the pattern has no such parameter.
  public func parameter(_ name: String) throws(HTTPError) -> String {
    guard let value = parameters[name] else {
      throw HTTPError(.notFound, detail: "\(path): there is no '\(name)' in this path")
    }
    return value
  }

  /// The value of the cookie called `name`, or `nil` if the request does not have it.
  public func cookie(_ name: String) -> String? {
    for field in headers.values(of: "Cookie") {
      for pair in field.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].drop(while: { $0 == " " }) == name else { continue }
        return String(sides[1])
      }
    }
    return nil
  }

  private var hasChunkedBody: Bool { headers["Transfer-Encoding"] != nil }

  var expectsContinue: Bool { headers["Expect"]?.lowercased() == "100-continue" }
}
