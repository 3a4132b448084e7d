import CMicroHTTPD
import Foundation

/// Detects addresses that only the host itself can reach.
public enum LoopbackAddress {
  /// Whether a server on `address`, which is numeric or a name, would listen on loopback addresses only.
  public static func contains(_ address: String) -> Bool {
    all(address, flags: AI_PASSIVE | AI_NUMERICSERV)
  }

  /// Whether `address` is a numeric loopback address.
  public static func isNumeric(_ address: String) -> Bool {
    all(address, flags: AI_NUMERICHOST | AI_NUMERICSERV)
  }

  private static func all(_ address: String, flags: Int32) -> Bool {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "0", &hints, &list) == 0, list != nil else { return false }
    defer { freeaddrinfo(list) }
    var next = list
    while let info = next?.pointee {
      guard let address = info.ai_addr, isLoopback(SocketAddress.host(of: address)) else {
        return false
      }
      next = info.ai_next
    }
    return true
  }

  /// Whether a numeric address in the system's format is a loopback address.
  static func isLoopback(_ host: String) -> Bool {
    host == "::1" || host.hasPrefix("127.") || host.hasPrefix("::ffff:127.")
  }
}
