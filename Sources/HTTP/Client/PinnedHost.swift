/// A host with the addresses at which it is asked: no other is connected to, whatever its name leads to by then.
public struct PinnedHost: Hashable, Sendable {
  /// The host as the URL has it: a name, or a numeric address without brackets.
  public let host: String
  /// The port.
  public let port: UInt16
  /// The addresses, in the order in which they are tried.
  public let addresses: [InternetAddress]

  /// A host with its addresses.
  public init(host: String, port: UInt16, addresses: [InternetAddress]) {
    self.host = host
    self.port = port
    self.addresses = addresses
  }

  /// The line of `CURLOPT_RESOLVE` that says so; `nil` if there is no name to resolve.
  var resolveLine: String? {
    guard InternetAddress(host) == nil else { return nil }
    let list = addresses.map { $0.bytes.count == 4 ? "\($0)" : "[\($0)]" }
    return "\(host):\(port):\(list.joined(separator: ","))"
  }
}
