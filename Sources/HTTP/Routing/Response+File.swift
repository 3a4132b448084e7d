import Foundation

extension Response {
  /// Creates the response to `request` for the file at `path`: the entire file, a range, only the headers, 304 or 416.
  ///
  /// `If-None-Match` and `If-Range` are compared with `etag`, to which this method adds the quotes. An `If-Range` with
  /// a date never matches, because responses have no modification time. Blocks briefly to open the file.
  ///
  /// - Parameters:
  ///   - etag: the name of the content, such as its digest, without quotes.
  ///   - throughLinks: whether the path may contain symbolic links; see ``OpenFile``.
  /// - Throws: ``HTTPError`` 404 if there is no such regular file, or 503 if the system cannot open files at the moment.
  public static func file(
    path: String, request: Request, contentType: String, etag: String? = nil,
    throughLinks: Bool = true
  ) throws(HTTPError) -> Response {
    let file: OpenFile?
    do throws(OpeningError) {
      file = try OpenFile(path, throughLinks: throughLinks)
    } catch {
      throw HTTPError(
        .serviceUnavailable,
        detail: "\(request.path): the content cannot be opened: "
          + String(cString: strerror(error.number)),
        headers: ["Retry-After": "1"])
    }
    guard let file else {
      throw HTTPError(.notFound, detail: "\(request.path): there is no content")
    }
    return response(with: file, request: request, contentType: contentType, etag: etag)
  }

  private static func response(
    with file: OpenFile, request: Request, contentType: String, etag: String?
  ) -> Response {
    let size = file.size
    let tag = etag.map { "\"\($0)\"" }
    var headers: Headers = ["Accept-Ranges": "bytes"]
    headers["ETag"] = tag
    if let tag, let wanted = request.headers["If-None-Match"], matches(tag, list: wanted) {
      return Response(.notModified, headers: headers)
    }
    var selection = RangeHeader.Selection.whole
    if let range = request.headers["Range"], request.method == .get || request.method == .head {
      let condition = request.headers["If-Range"]
      if condition == nil || condition == tag { selection = RangeHeader.parse(range, size: size) }
    }
    headers["Content-Type"] = contentType
    switch selection {
    case .whole:
      return Response(.ok, headers: headers, body: .file(file, offset: 0, length: size))
    case .part(let part):
      headers["Content-Range"] = RangeHeader.contentRange(part, of: size)
      return Response(
        .partialContent, headers: headers,
        body: .file(file, offset: part.lowerBound, length: Int64(part.count)))
    case .unsatisfiable:
      return .problem(
        HTTPError(
          .rangeNotSatisfiable, detail: "\(request.path): the content has \(size) bytes",
          headers: ["Content-Range": "bytes */\(size)", "Accept-Ranges": "bytes"]))
    }
  }

  /// Whether the list of an `If-None-Match` contains `tag`. The comparison is weak, as this header requires.
  static func matches(_ tag: String, list: String) -> Bool {
    list.split(separator: ",").contains { item in
      let entry = item.trimmed
      return entry == "*" || entry == tag || entry == "W/\(tag)"
    }
  }
}

extension Request {
  /// Whether `If-None-Match` names a tag, so that the client has the content.
  ///
  /// - Parameter etag: the name of the content, without quotes.
  public func hasTag(_ etag: String) -> Bool {
    self.headers["If-None-Match"].map { Response.matches("\"\(etag)\"", list: $0) } ?? false
  }
}
