import Foundation

extension Response {
  /// The sizes of compressed contents before compression, in bytes. Smaller contents would save little, and 1 MiB
  /// already takes about 30 ms.
  static let compressedSizes = 1 << 10...1 << 20

  /// The response with its content in the gzip format, if the client accepts it and the content is text in memory.
  ///
  /// `Content-Digest` (RFC 9530) is removed, because it is the digest of the uncompressed bytes. The gzip format has its
  /// own checksum.
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

  /// The value of `Vary` for contents that may be compressed: caches must keep the two forms apart.
  static let varying = "Accept-Encoding"

  /// Whether contents of a media type may be compressed.
  static func isText(_ contentType: String?) -> Bool {
    let type = (contentType ?? "").prefix { $0 != ";" }
    return type.hasPrefix("text/") || type.hasSuffix("json") || type.hasSuffix("+xml")
  }
}
