import CMicroHTTPD
import Foundation

/// A TCP socket that listens, or is about to.
public struct ListeningSocket: ~Copyable, Sendable {
  /// The socket, to pass on to a server in another process.
  public let descriptor: Int32
  /// The port on which the socket listens.
  public let port: UInt16
  /// The numeric address on which the socket listens.
  public var address: String { Self.place(of: descriptor).address }

  /// Listens on `address`, which is a numeric address or a host name.
  ///
  /// - Parameter listens: whether it listens at once. If not, connections are refused until ``startListening()``.
  public init(address: String, port: UInt16, listens: Bool = true) throws(ServerError) {
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
    let name = "\(address):\(port)"
    let descriptor = try Self.bind(to: first.pointee, called: name)
    if listens, listen(descriptor, Self.backlog) != 0 {
      throw Self.failure(name, closing: descriptor)
    }
    self.descriptor = descriptor
    self.port = Self.place(of: descriptor).port
  }

  /// Lets connections arrive.
  public func startListening() throws(ServerError) {
    guard listen(descriptor, Self.backlog) == 0 else {
      throw Self.failure("port \(port)", closing: nil)
    }
  }

  /// The number of connections that may wait to be accepted.
  private static let backlog: Int32 = 1024

  /// Takes over a descriptor, such as one that another process passed on.
  ///
  /// - Throws: ``ServerError`` if it is not a listening socket.
  public init(adopting descriptor: Int32) throws(ServerError) {
    guard Self.address(of: descriptor) != nil,
      fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
    else {
      throw ServerError(
        .cannotListen, "cannot listen: descriptor \(descriptor) is not a listening TCP socket")
    }
    self.descriptor = descriptor
    port = Self.place(of: descriptor).port
  }

  /// The numeric address on which a socket listens; `nil` if the descriptor is not a listening TCP socket.
  public static func address(of descriptor: Int32) -> String? {
    let address = place(of: descriptor).address
    return isListening(descriptor) && !address.isEmpty ? address : nil
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

  private static func bind(to info: addrinfo, called name: String) throws(ServerError) -> Int32 {
    let type = info.ai_socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(info.ai_family, type, info.ai_protocol)
    guard descriptor >= 0 else { throw failure(name, closing: nil) }
    var on: Int32 = 1
    setsockopt(
      descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    guard Foundation.bind(descriptor, info.ai_addr, info.ai_addrlen) == 0 else {
      throw failure(name, closing: descriptor)
    }
    return descriptor
  }

  private static func failure(_ name: String, closing descriptor: Int32?) -> ServerError {
    let number = errno
    if let descriptor { close(descriptor) }
    let reason = String(cString: strerror(number))
    let advice =
      switch number {
      case EADDRINUSE: ": choose another port"
      case EADDRNOTAVAIL: ": use an address of this host"
      default: ""
      }
    return ServerError(.cannotListen, "cannot listen: \(name): \(reason)\(advice)")
  }

  private static func isListening(_ descriptor: Int32) -> Bool {
    var (value, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
    return getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0 && value != 0
  }

  /// The address and port of a socket; an empty address if it is not an IPv4 or IPv6 socket.
  private static func place(of descriptor: Int32) -> (address: String, port: UInt16) {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0,
          [UInt16(AF_INET), UInt16(AF_INET6)].contains(address.pointee.sa_family)
        else { return ("", 0) }
        return (SocketAddress.host(of: address), SocketAddress.port(of: address))
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
