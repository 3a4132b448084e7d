import CMicroHTTPD
import Foundation

/// A numeric address and a port.
public struct SocketPlace: Hashable, Sendable, CustomStringConvertible {
  /// The IPv4 or IPv6 address.
  public let address: InternetAddress
  /// The port.
  public let port: UInt16

  /// Creates a place.
  public init(_ address: InternetAddress, port: UInt16) {
    self.address = address
    self.port = port
  }

  /// Parses `ADDRESS:PORT`, with an IPv6 address in brackets. Returns `nil` for anything else, such as a host name.
  public init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...])
    else { return nil }
    let host = text[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard let address = InternetAddress(String(isBracketed ? host.dropFirst().dropLast() : host)),
      isBracketed == (address.bytes.count == 16)
    else { return nil }
    self.init(address, port: port)
  }

  /// The place as `ADDRESS:PORT`.
  public var description: String {
    address.bytes.count == 16 ? "[\(address)]:\(port)" : "\(address):\(port)"
  }

  /// Calls `body` with the place in the system's format.
  func withSocketAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    var storage = sockaddr_storage()
    let length = withUnsafeMutableBytes(of: &storage) { bytes in
      if address.bytes.count == 4 {
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: address.bytes) }
        withUnsafeBytes(of: four) { bytes.copyBytes(from: $0) }
        return MemoryLayout<sockaddr_in>.size
      }
      var six = sockaddr_in6()
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: address.bytes) }
      withUnsafeBytes(of: six) { bytes.copyBytes(from: $0) }
      return MemoryLayout<sockaddr_in6>.size
    }
    return withUnsafePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}
