import Foundation

/// The addresses that requests name. All requests go over the one connection, whatever host an address names.
enum ControlURL {
  /// The address that a `control` attribute names (RFC 2326, C.1.1).
  ///
  /// A relative one is appended to the base as a further path element, as servers and players do, even if the base ends
  /// without a slash or has a query.
  static func resolve(_ control: String?, on base: String) -> String {
    guard let control, !control.isEmpty, control != "*" else { return base }
    if control.lowercased().hasPrefix("rtsp://") { return control }
    if control.hasPrefix("/") { return root(of: base) + control }
    return base.hasSuffix("/") ? base + control : "\(base)/\(control)"
  }

  /// Text from a server that can be sent in a request line and within quotes; `nil` for other text.
  static func checked(_ text: String) -> String? {
    let isAllowed = text.utf8.allSatisfy { (33..<127).contains($0) && $0 != UInt8(ascii: "\"") }
    return isAllowed && !text.isEmpty ? text : nil
  }

  /// An address without its path.
  private static func root(of url: String) -> String {
    guard let scheme = url.range(of: "://") else { return "" }
    return String(url[..<(url[scheme.upperBound...].firstIndex(of: "/") ?? url.endIndex)])
  }
}
