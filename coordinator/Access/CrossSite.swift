import Foundation
import HTTP

/// Detects requests that a browser makes on behalf of another site's page.
enum CrossSite {
  /// Rejects a request from another site's page.
  ///
  /// Browsers send `Sec-Fetch-Site` and `Origin` themselves, and pages cannot prevent it. Other clients send neither.
  static func check(_ head: RequestHead) throws(AccessError) {
    if let site = head.headers["Sec-Fetch-Site"], site != "same-origin", site != "none" {
      throw .forbidden("the request comes from another site's page")
    }
    guard let origin = head.headers["Origin"] else { return }
    guard let host = head.headers["Host"]?.lowercased(),
      ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
    else { throw .forbidden("the request comes from another site's page: \(origin)") }
  }

  /// Rejects a request whose `Host` is a name that an attacker may have pointed at the loopback address.
  ///
  /// A browser would treat the attacker's page and this coordinator as the same site.
  static func checkHost(_ head: RequestHead) throws(AccessError) {
    guard let field = head.headers["Host"] else { return }
    var host = field.lowercased()[...]
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      host = host[host.index(after: host.startIndex)..<end]
    } else if let colon = host.lastIndex(of: ":") {
      host = host[..<colon]
    }
    guard host == "localhost" || LoopbackAddress.isNumeric(String(host)) else {
      throw .forbidden(
        "the Host '\(field)' is not a loopback address: use 127.0.0.1, [::1] or localhost")
    }
  }
}
