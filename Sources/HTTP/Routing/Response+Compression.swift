import Foundation

extension Response {
  /// The sizes in bytes of contents that are compressed. Shorter ones hardly become shorter, and a MiB already takes some
  /// 30 ms.
  static let compressedSizes = 1 << 10...1 << 20

  /// The response with its content in the gzip format, if the client accepts that and the content is a text in memory.
  ///
  /// `Content-Digest` (RFC 9530) is left out, because it is the digest of the uncompressed bytes: the gzip format has a
  /// checksum of its own.
  func compressed(for request: Headers) -> Response {
    guard case .bytes(let data) = body, Self.compressedSizes.contains(data.count),
      Self.isText(headers["Content-Type"]), headers["Content-Encoding"] == nil,
      headers["Content-Range"] == nil
    else { return self }
    var response = self
    response.headers["Vary"] = Self.varying
    guard request.acceptsGzip, let compressed = Gzip.compress(data) else { return response }
    response.body = .bytes(compressed)
    response.headers["Content-Encoding"] = "gzip"
    response.headers["Content-Digest"] = nil
    return response
  }

  /// The header `Vary` of contents that some clients get compressed, so that caches keep the two forms apart.
  static let varying = "Accept-Encoding"

  /// Whether contents of a media type may be compressed.
  static func isText(_ contentType: String?) -> Bool {
    let type = (contentType ?? "").prefix { $0 != ";" }
    return type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("+xml")
  }
}
