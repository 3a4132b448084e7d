import Foundation

/// The target of a request line: the decoded segments of the path, and the query.
struct RequestTarget: Hashable, Sendable {
  /// The decoded segments; `/` has one empty segment.
  let segments: [String]
  let query: Query

  /// Parses `/path?query` or `http://authority/path?query`.
  ///
  /// Returns `nil` for other formats, and if the target contains invalid percent escapes, invalid UTF-8 or NUL.
  init?(parsing target: String) {
    var rest = target[...]
    if let absolute = Self.withoutScheme(target) {
      rest = absolute.firstIndex(of: "/").map { absolute[$0...] } ?? "/"
    }
    guard rest.hasPrefix("/") else { return nil }
    let parts = rest.dropFirst().split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var segments: [String] = []
    for raw in parts[0].split(separator: "/", omittingEmptySubsequences: false) {
      guard let segment = Self.decode(raw) else { return nil }
      segments.append(segment)
    }
    guard let query = Query(parsing: parts.count > 1 ? parts[1] : "") else { return nil }
    self.segments = segments
    self.query = query
  }

  /// The host and port of an absolute target; `nil` if the target is a path.
  static func authority(of target: String) -> String? {
    withoutScheme(target).map { rest in String(rest.prefix { $0 != "/" && $0 != "?" }) }
  }

  private static func withoutScheme(_ target: String) -> Substring? {
    ["http://", "https://"].first { target.hasPrefix($0) }.map { target.dropFirst($0.count) }
  }

  static func decode(_ raw: Substring) -> String? {
    guard raw.utf8.contains(UInt8(ascii: "%")) else {
      return raw.utf8.contains(0) ? nil : String(raw)
    }
    guard let text = String(raw).removingPercentEncoding, !text.utf8.contains(0) else { return nil }
    return text
  }
}

/// The decoded parameters of a query, in order.
public struct Query: Hashable, Sendable {
  private struct Item: Hashable, Sendable {
    let name: String
    let value: String
  }

  private let items: [Item]

  init?(parsing raw: Substring) {
    var items: [Item] = []
    for pair in raw.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let decoded = sides.map { RequestTarget.decode($0.replacing("+", with: " ")[...]) }
      guard let name = decoded[0] else { return nil }
      guard decoded.count > 1 else {
        items.append(Item(name: name, value: ""))
        continue
      }
      guard let value = decoded[1] else { return nil }
      items.append(Item(name: name, value: value))
    }
    self.items = items
  }

  /// The first value of the parameter called `name`.
  public subscript(name: String) -> String? {
    items.first { $0.name == name }?.value
  }

  /// Every value of the parameter called `name`, in order.
  public func all(_ name: String) -> [String] {
    items.filter { $0.name == name }.map(\.value)
  }
}
