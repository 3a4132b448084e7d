import Foundation
import HTTP

/// Tells requests that a browser makes for another site's page from those of the coordinator's own.
enum CrossSite {
  /// Refuses what comes from another site's page.
  ///
  /// Browsers send `Sec-Fetch-Site` and `Origin` themselves, and pages cannot prevent it. Other clients send neither.
  static func check(_ head: RequestHead) throws(HTTPError) {
    if let site = head.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
      throw .forbidden("the request comes from another site's page")
    }
    guard let origin = head.headers["Origin"] else { return }
    guard let host = head.headers["Host"]?.lowercased(),
      ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
    else { throw .forbidden("the request comes from another site's page: \(origin)") }
  }

  /// Refuses a request whose `Host` is a name that someone else may have pointed at the loopback address.
  ///
  /// Then another site's page and this coordinator would be one site to a browser.
  static func checkHost(_ head: RequestHead) throws(HTTPError) {
    guard let field = head.headers["Host"] else { return }
    var host = field.lowercased()[...]
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      host = host[..<colon]
    }
    guard host == "localhost" || LoopbackAddress.isNumeric(String(host)) else {
      throw .forbidden(
        "the host '\(field)' is not this one: use 127.0.0.1, [::1] or localhost")
    }
  }
}
