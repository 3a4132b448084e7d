import Foundation

extension InternetAddress {
  /// Returns the current addresses of a host, without duplicates, in the order in which to try them. A numeric host is
  /// its own address.
  ///
  /// Blocks until the system's resolver has answered. Never call it from a task.
  public static func resolve(_ host: String) throws(ResolutionError) -> [InternetAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let result = getaddrinfo(host, nil, &hints, &list)
    guard result == 0 else { throw ResolutionError(host, result) }
    defer { freeaddrinfo(list) }
    var addresses: [InternetAddress] = []
    var next = list
    while let info = next?.pointee {
      if let socket = info.ai_addr, let address = InternetAddress(socket),
        !addresses.contains(address)
      {
        addresses.append(address)
      }
      next = info.ai_next
    }
    return addresses
  }
}

/// A host name could not be resolved.
public struct ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name and the reason.
  public let description: String
  /// Whether another try may succeed, because the resolver could not answer.
  public let isPassing: Bool

  init(_ host: String, _ result: Int32) {
    description = "cannot resolve \(host): \(String(cString: gai_strerror(result)))"
    isPassing = result == EAI_AGAIN
  }
}
