/// The value of a `Host` header: a lowercase name or address, and optionally a port.
public struct HostField: Hashable, Sendable {
  /// The host. An IPv6 address has no brackets.
  public let host: String
  /// The port as it was written, or `nil`.
  let port: String?

  /// Parses `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`. Returns `nil` for anything else.
  public init?(_ text: String) {
    let text = text.lowercased()
    let rest: Substring
    if text.hasPrefix("[") {
      guard let end = text.firstIndex(of: "]") else { return nil }
      host = String(text[text.index(after: text.startIndex)..<end])
      rest = text[text.index(after: end)...]
      guard !host.isEmpty, host.utf8.allSatisfy({ Self.isNameByte($0) || $0 == 0x3a }) else {
        return nil
      }
    } else {
      let end = text.firstIndex(of: ":") ?? text.endIndex
      host = String(text[..<end])
      rest = text[end...]
      guard !host.isEmpty, host.utf8.allSatisfy(Self.isNameByte) else { return nil }
    }
    guard !rest.isEmpty else {
      port = nil
      return
    }
    let digits = rest.dropFirst()
    guard rest.hasPrefix(":"), digits.utf8.count <= 5,
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    port = String(digits)
  }

  /// Letters, digits, dots, dashes and underscores: the characters of host names and addresses.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
  }
}
