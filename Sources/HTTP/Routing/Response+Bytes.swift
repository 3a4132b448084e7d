import Foundation

extension Response {
  /// Creates the response to `request` for bytes in memory: 200 with the bytes, or 304 if `If-None-Match` names `etag`.
  ///
  /// Text has a weak tag, because clients that accept gzip receive different bytes.
  ///
  /// - Parameter etag: the name of the content, such as its digest, without quotes.
  public static func bytes(
    _ bytes: Data, request: Request, contentType: String, etag: String
  ) -> Response {
    let tag = "\"\(etag)\""
    var headers: Headers = ["ETag": tag]
    if isText(contentType) {
      headers["ETag"] = "W/\(tag)"
      headers["Vary"] = varying
    }
    if let wanted = request.headers["If-None-Match"], matches(tag, list: wanted) {
      return Response(.notModified, headers: headers)
    }
    headers["Content-Type"] = contentType
    return Response(.ok, headers: headers, body: .bytes(bytes))
  }
}
