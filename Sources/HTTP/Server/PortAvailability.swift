import CMicroHTTPD
import Foundation

/// Whether a server could listen on a TCP port of this host.
public enum PortAvailability: Hashable, Sendable {
  /// It could.
  case free
  /// Another program listens there.
  case taken
  /// The system forbids it, with the reason in words.
  case refused(String)

  /// Tries to listen on a port of all IPv4 addresses, or of one of them, and stops at once.
  ///
  /// - Parameter port: the port; 0 for any.
  public init(of port: UInt16, at address: String = "0.0.0.0") {
    let descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else {
      self = .refused(String(cString: strerror(errno)))
      return
    }
    defer { close(descriptor) }
    // As servers do: connections that ended moments ago do not count.
    var on: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_port = port.bigEndian
    place.sin_addr.s_addr = inet_addr(address)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    if result == 0, listen(descriptor, 1) == 0 {
      self = .free
    } else {
      self = errno == EADDRINUSE ? .taken : .refused(String(cString: strerror(errno)))
    }
  }
}
