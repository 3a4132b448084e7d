import CMicroHTTPD
import Foundation

/// A listening TCP socket.
struct ListeningSocket: ~Copyable {
  /// The socket.
  private let descriptor: Int32
  /// The port on which the socket listens.
  let port: UInt16

  /// Listens on `address`, which is a numeric address or a host name.
  init(address: String, port: UInt16) throws(ServerError) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(address, String(port), &hints, &list)
    guard result == 0, let first = list else {
      let reason = String(cString: gai_strerror(result))
      throw ServerError(.cannotListen, "cannot listen: \(address): \(reason)")
    }
    defer { freeaddrinfo(list) }
    descriptor = try Self.listen(on: first.pointee, called: "\(address):\(port)")
    self.port = Self.boundPort(of: descriptor)
  }

  deinit {
    close(descriptor)
  }

  /// Passes the descriptor to the caller, which has to close it.
  consuming func release() -> Int32 {
    let descriptor = descriptor
    discard self
    return descriptor
  }

  private static func listen(on info: addrinfo, called name: String) throws(ServerError) -> Int32 {
    let type = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(info.ai_family, type, info.ai_protocol)
    guard descriptor >= 0 else { throw failure(name, closing: nil) }
    var on: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0,
      Foundation.listen(descriptor, 1024) == 0
    else { throw failure(name, closing: descriptor) }
    return descriptor
  }

  private static func failure(_ name: String, closing descriptor: Int32?) -> ServerError {
    let number = errno
    if let descriptor { close(descriptor) }
    let reason = String(cString: strerror(number))
    let advice = number == EADDRINUSE ? ": choose another port" : ""
    return ServerError(.cannotListen, "cannot listen: \(name): \(reason)\(advice)")
  }

  private static func boundPort(of descriptor: Int32) -> UInt16 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return 0 }
        return SocketAddress.port(of: address)
      }
    }
  }
}

/// Reads the parts of a socket address.
enum SocketAddress {
  /// The port of an IPv4 or IPv6 address. Both types store it at the same offset.
  static func port(of address: UnsafePointer<sockaddr>) -> UInt16 {
    address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      UInt16(bigEndian: $0.pointee.sin_port)
    }
  }

  /// The numeric host of an address.
  static func host(of address: UnsafePointer<sockaddr>) -> String {
    let length =
      address.pointee.sa_family == UInt16(AF_INET6)
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: 64)
    let result = getnameinfo(
      address, socklen_t(length), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard result == 0 else { return "" }
    return text.withUnsafeBytes { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }
}
