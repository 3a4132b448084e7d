import CStatusPage
import Crypto
import FarmAPI
import Foundation
import HTTP

/// The status page: files that show the farm, embedded from `StatusPage/Files`.
///
/// The files contain no information about the farm. The page's scripts request that after the user has signed in.
enum StatusPage {
  /// The name of the document.
  static let index = "index.html"

  /// The media types of the files, without parameters.
  static let contentTypes = Set(types.values.map { String($0.prefix { $0 != ";" }) }).sorted()

  /// The response with an embedded file.
  ///
  /// - Throws: ``HTTPError`` 404 if there is no such file.
  static func response(to request: Request, file name: String) throws(HTTPError) -> Response {
    guard let file = files[name] else {
      throw HTTPError(
        .notFound, type: ProblemType.notFound.rawValue, detail: "the page has no file '\(name)'")
    }
    var response = Response.bytes(
      file.bytes, request: request, contentType: file.contentType, etag: file.digest.description)
    response.headers["Cache-Control"] = "no-cache"
    response.headers["Content-Security-Policy"] = policy
    response.headers["Referrer-Policy"] = "no-referrer"
    return response
  }

  private struct File: Sendable {
    let bytes: Data
    let digest: Digest
    let contentType: String
  }

  /// The files by name.
  private static let files: [String: File] = {
    var files: [String: File] = [:]
    var index = 0
    while let file = sheaf_page_file_at(index)?.pointee {
      let name = String(cString: file.name)
      let bytes = Data(bytes: file.bytes, count: file.count)
      files[name] = File(
        bytes: bytes, digest: Digest.of([UInt8](bytes)),
        contentType: types[(name as NSString).pathExtension] ?? "application/octet-stream")
      index += 1
    }
    return files
  }()

  private static let types = [
    "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8", "svg": "image/svg+xml",
    "webmanifest": "application/manifest+json",
  ]

  /// The content security policy: the page loads its own files only, and no inline script or style runs.
  ///
  /// `blob:` is for pictures of clips that a user has dropped on the page.
  private static let policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    + "media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; base-uri 'none'; "
    + "form-action 'none'; frame-ancestors 'none'"
}
