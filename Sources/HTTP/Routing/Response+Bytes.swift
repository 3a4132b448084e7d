import Foundation

extension Response {
  /// Creates the response to `request` for bytes in memory: 200 with the bytes, or 304 if `If-None-Match` names `etag`.
  ///
  /// - Parameter etag: the name of the content, such as its digest, without quotes.
  public static func bytes(
    _ bytes: Data, request: Request, contentType: String, etag: String
  ) -> Response {
    let tag = "\"\(etag)\""
    if let wanted = request.headers["If-None-Match"], matches(tag, list: wanted) {
      return Response(.notModified, headers: ["ETag": tag])
    }
    return Response(
      .ok, headers: ["ETag": tag, "Content-Type": contentType], body: .bytes(bytes))
  }
}
