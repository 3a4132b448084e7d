import Foundation

extension InternetAddress {
  /// The addresses that a host's name has now, each once, in the order in which they are to be tried; of a numeric
  /// host that address.
  ///
  /// Blocks until the system's resolver has answered: never for a task.
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

/// A host's name has no addresses.
public struct ResolutionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which name, and why.
  public let description: String
  /// Whether it may have some later: the resolver could not answer.
  public let isPassing: Bool

  init(_ host: String, _ result: Int32) {
    description = "cannot resolve \(host): \(String(cString: gai_strerror(result)))"
    isPassing = result == EAI_AGAIN
  }
}
