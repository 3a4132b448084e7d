/// The requirements of RFC 9110 and 9112 on a request's head, applied strictly.
///
/// If a proxy in front parsed an ambiguous request differently, one client's request or response could reach another
/// client. So every ambiguous request is rejected, even if the RFCs allow a guess.
struct RequestRules {
  let method: String
  /// The request target as it was sent.
  let target: String
  let version: String
  let headers: Headers

  /// The fields that must not be repeated, because two readers could each use a different one.
  private static let single = [
    "Host", "Content-Length", "Transfer-Encoding", "Authorization", "Content-Type", "Expect",
    "Origin", "Range", "Sec-Fetch-Site",
  ]

  /// The error for the request, or `nil` if it is well-formed. After an error, the connection must be closed, because
  /// the start of the next request is unknown.
  var refusal: HTTPError? {
    if let problem { return .malformed(problem) }
    guard headers["Transfer-Encoding"] != nil else { return nil }
    // libmicrohttpd parses chunk sizes and trailers leniently, and does not reveal how they were written.
    return HTTPError(
      .lengthRequired, type: HTTPError.malformedType,
      detail: "chunked bodies are not accepted: send Content-Length",
      headers: ["Connection": "close"])
  }

  private var problem: String? {
    guard Self.isToken(method) else { return "the method is not a token" }
    guard !target.isEmpty, target.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
      return "the request target has characters other than visible ASCII"
    }
    guard target.hasPrefix("/") || RequestTarget.authority(of: target) != nil else {
      return "the request target is neither a path nor a URL"
    }
    guard version == "HTTP/1.1" || version == "HTTP/1.0" else {
      return "the protocol version is not HTTP/1.1 or HTTP/1.0"
    }
    for field in headers.fields {
      guard Self.isToken(field.name) else { return "the name of a header is not a token" }
      guard field.value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }) else {
        return "the header \(field.name) has control characters"
      }
    }
    if let name = Self.single.first(where: { headers.values(of: $0).count > 1 }) {
      return "the header \(name) is given more than once"
    }
    return hostProblem ?? lengthProblem
  }

  private var hostProblem: String? {
    guard let field = headers["Host"] else {
      return version == "HTTP/1.1" ? "the header Host is missing" : nil
    }
    guard let host = HostField(field) else { return "the header Host is not a valid host" }
    guard let authority = RequestTarget.authority(of: target) else { return nil }
    return HostField(authority) == host ? nil : "the request target and Host name different hosts"
  }

  private var lengthProblem: String? {
    let length = headers["Content-Length"]
    if let length, !Self.isNumber(length) { return "Content-Length is not a number" }
    guard let coding = headers["Transfer-Encoding"] else { return nil }
    guard length == nil else { return "Transfer-Encoding and Content-Length cannot be combined" }
    guard version == "HTTP/1.1" else { return "HTTP/1.0 does not support Transfer-Encoding" }
    return coding.lowercased() == "chunked" ? nil : "Transfer-Encoding is not chunked"
  }

  private static func isNumber(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Whether text is a token (RFC 9110, 5.6.2).
  private static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
          || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || marks.contains(byte)
      }
  }

  private static let marks = Set("!#$%&'*+-.^_`|~".utf8)
}

extension HTTPError {
  /// The error for an ambiguous or malformed request. The connection is closed after the response.
  static func malformed(_ problem: String) -> HTTPError {
    HTTPError(
      .badRequest, type: malformedType, detail: "malformed request: \(problem)",
      headers: ["Connection": "close"])
  }

  /// The problem type of a malformed request.
  static let malformedType = "/problems/malformed-request"
}
