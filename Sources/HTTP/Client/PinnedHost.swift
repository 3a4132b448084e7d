/// A host with its resolved addresses. The client connects only to these, even if the name resolves differently later.
public struct PinnedHost: Hashable, Sendable {
  /// The host as in the URL: a name, or a numeric address without brackets.
  public let host: String
  /// The port of the URL, or the default port of its scheme.
  public let port: UInt16
  /// The addresses, in the order in which they are tried.
  public let addresses: [InternetAddress]

  /// Creates a host with its addresses.
  public init(host: String, port: UInt16, addresses: [InternetAddress]) {
    self.host = host
    self.port = port
    self.addresses = addresses
  }

  /// The entry for `CURLOPT_RESOLVE`; `nil` if there is no name to resolve.
  var resolveLine: String? {
    guard InternetAddress(host) == nil else { return nil }
    let list = addresses.map { $0.bytes.count == 4 ? "\($0)" : "[\($0)]" }
    return "\(host):\(port):\(list.joined(separator: ","))"
  }
}
