import Foundation

/// A numeric IPv4 or IPv6 address.
public struct InternetAddress: Hashable, Sendable {
  /// The four or sixteen bytes of the address, in network byte order.
  public let bytes: [UInt8]

  /// Parses an address: four decimal numbers, or IPv6 without brackets.
  public init?(_ text: String) {
    var four = in_addr()
    var sixteen = in6_addr()
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = withUnsafeBytes(of: four) { Array($0) }
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = withUnsafeBytes(of: sixteen) { Array($0) }
    } else {
      return nil
    }
  }

  /// Extracts the address from a socket address. Returns `nil` for other address families.
  init?(_ address: UnsafePointer<sockaddr>) {
    let start = UnsafeRawPointer(address)
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let four = start.loadUnaligned(as: sockaddr_in.self).sin_addr
      bytes = withUnsafeBytes(of: four) { Array($0) }
    case AF_INET6:
      let sixteen = start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
      bytes = withUnsafeBytes(of: sixteen) { Array($0) }
    default: return nil
    }
  }
}

extension InternetAddress: CustomStringConvertible {
  /// The address in its usual format, IPv6 without brackets.
  public var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
