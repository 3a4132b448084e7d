import Crypto
import Foundation
import HTTP

/// Signs requests (AWS Signature Version 4 for S3).
///
/// Source: "Authenticating Requests (AWS Signature Version 4)" in Amazon's S3 API reference, which also publishes the
/// examples with which it is tested.
package struct Signer {
  let key: AccessKey
  let region: String
  /// The time of the request, in UTC: `20130524T000000Z`.
  let time: String

  private static let algorithm = "AWS4-HMAC-SHA256"
  /// Stands for a body that is not signed.
  private static let unsigned = "UNSIGNED-PAYLOAD"

  /// Creates a signer for requests at one time.
  package init(_ key: AccessKey, region: String, at date: Date) {
    self.key = key
    self.region = region
    time = Self.time(date)
  }

  /// A request to sign.
  package struct Unsigned {
    let method: HTTP.Method
    let host: String
    /// The encoded path.
    let path: String
    /// The names and values of the query, which are not encoded.
    var query: [String: String] = [:]
    /// The header fields to sign, besides the host.
    var headers: [String: String] = [:]

    /// Creates a request; see the properties.
    package init(
      method: HTTP.Method, host: String, path: String, query: [String: String] = [:],
      headers: [String: String] = [:]
    ) {
      (self.method, self.host, self.path) = (method, host, path)
      (self.query, self.headers) = (query, headers)
    }
  }

  /// The header fields with which a request is sent, including those to sign.
  ///
  /// - Parameter payload: the SHA-256 of the body.
  package func headers(for request: Unsigned, payload: Digest) -> [String: String] {
    var request = request
    request.headers["x-amz-content-sha256"] = payload.description
    request.headers["x-amz-date"] = time
    request.headers["x-amz-security-token"] = key.session
    let (signed, signature) = sign(request, payload: payload.description)
    var headers = request.headers
    headers["Authorization"] =
      "\(Self.algorithm) Credential=\(key.id)/\(scope),SignedHeaders=\(signed),Signature=\(signature)"
    return headers
  }

  /// The query with which anyone can send a request with the given header fields, for a limited time. The body is not
  /// signed, because stores differ in what they sign then.
  ///
  /// - Parameter seconds: the number of seconds for which it is valid.
  package func query(for request: Unsigned, lasting seconds: Int) -> String {
    var request = request
    request.query["X-Amz-Algorithm"] = Self.algorithm
    request.query["X-Amz-Credential"] = "\(key.id)/\(scope)"
    request.query["X-Amz-Date"] = time
    request.query["X-Amz-Expires"] = "\(seconds)"
    request.query["X-Amz-Security-Token"] = key.session
    request.query["X-Amz-SignedHeaders"] = Self.names(request)
    let (_, signature) = sign(request, payload: Self.unsigned)
    return Self.encode(request.query) + "&X-Amz-Signature=\(signature)"
  }

  private var day: Substring { time.prefix(8) }

  private var scope: String { "\(day)/\(region)/s3/aws4_request" }

  /// The names of the signed header fields, and the signature.
  private func sign(_ request: Unsigned, payload: String) -> (names: String, signature: String) {
    let names = Self.names(request)
    let fields = Self.fields(request).map { "\($0.name):\($0.value)\n" }.joined()
    let canonical = [
      request.method.rawValue, request.path, Self.encode(request.query), fields, names, payload,
    ].joined(separator: "\n")
    let text = [Self.algorithm, time, scope, Digest.of(Data(canonical.utf8)).description]
      .joined(separator: "\n")
    var derived = Data("AWS4\(key.secret)".utf8)
    for part in [String(day), region, "s3", "aws4_request"] {
      derived = Data(HMAC.sha256(of: Data(part.utf8), key: derived).bytes)
    }
    return (names, HMAC.sha256(of: Data(text.utf8), key: derived).description)
  }

  private static func fields(_ request: Unsigned) -> [(name: String, value: String)] {
    (request.headers.map { ($0.lowercased(), $1) } + [("host", request.host)])
      .sorted { $0.0 < $1.0 }
  }

  private static func names(_ request: Unsigned) -> String {
    fields(request).map(\.name).joined(separator: ";")
  }

  /// The encoded form of a query, in the order that signatures require.
  static func encode(_ query: [String: String]) -> String {
    query.map { (URIEncoding.encode($0), URIEncoding.encode($1)) }.sorted { $0.0 < $1.0 }
      .map { "\($0)=\($1)" }.joined(separator: "&")
  }

  private static func time(_ date: Date) -> String {
    var seconds = time_t(date.timeIntervalSince1970.rounded(.down))
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var text = [CChar](repeating: 0, count: 17)
    strftime(&text, text.count, "%Y%m%dT%H%M%SZ", &parts)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
