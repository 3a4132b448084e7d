/// The value of a `Host` header: a name or an address, in small letters, and perhaps a port.
public struct HostField: Hashable, Sendable {
  /// The host; an IPv6 address without its brackets.
  public let host: String
  /// The port as it was written.
  let port: String?

  /// Reads `HOST`, `HOST:PORT` or `[ADDRESS]:PORT`; `nil` for anything else.
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

  /// Letters, digits, dots, dashes and underscores: what host names and addresses are written with.
  private static func isNameByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || [UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_")].contains(byte)
  }
}
