import CMicroHTTPD
import Foundation

/// The server to which a ``Relay`` passes connections on.
public struct RelayTarget: Hashable, Sendable {
  /// The address and the port on which the server's ``RelayEntrance`` listens.
  public let place: SocketPlace
  /// The secret that the entrance requires.
  public let key: String

  /// Creates a target.
  public init(_ place: SocketPlace, key: String) {
    self.place = place
    self.key = key
  }

  /// The line with which a relay introduces a connection of a client.
  package func introduction(of client: String) -> [UInt8] {
    let text = "\(Self.protocolName) \(key) \(client)"
    let padding = max(0, Self.introductionLength - 1 - text.utf8.count)
    return Array(text.utf8) + Array(repeating: UInt8(ascii: " "), count: padding)
      + [UInt8(ascii: "\n")]
  }

  /// The address of the client in an introduction; `nil` if the introduction is not for this key.
  static func client(in introduction: [UInt8], key: String) -> InternetAddress? {
    let words = String(decoding: introduction, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 3, words[0] == protocolName, Self.isEqual(String(words[1]), key) else {
      return nil
    }
    return InternetAddress(String(words[2]))
  }

  /// Compares two texts in a time that depends only on their lengths.
  private static func isEqual(_ one: String, _ other: String) -> Bool {
    guard one.utf8.count == other.utf8.count else { return false }
    return zip(one.utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static let protocolName = "SHEAF-RELAY/1"
  /// The length of an introduction in bytes. It is fixed, so that the entrance reads nothing of what the client sent.
  static let introductionLength = 160
}

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
