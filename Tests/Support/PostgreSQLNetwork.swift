import Foundation

/// How a PostgreSQL server is reached over the network: with a password, and only with TLS or only without it.
public struct PostgreSQLNetwork: Sendable {
  /// The name in the server's certificate.
  public let name = "db.sheaf.test"
  /// The password of the server's user.
  public let password = UUID().uuidString
  /// The authority that signed the server's certificate (`ca`), and one that did not (`other`).
  public let certificates: Certificates
  /// An address of this host that does not count as local, because it is not one of the usual loopback addresses. No
  /// other test has it.
  public let address: String
  let port: Int
  private let isEncrypted: Bool

  /// Creates certificates in a folder, and chooses an address.
  public init(in folder: String, isEncrypted: Bool = true) throws {
    self.isEncrypted = isEncrypted
    certificates = try Certificates(in: folder, server: "DNS:\(name)")
    address = "127." + (0..<3).map { _ in "\(Int.random(in: 2...254))" }.joined(separator: ".")
    // The system gives none of these to connections.
    port = Int.random(in: 10_000..<30_000)
  }

  /// Writes the server's files into its folder, and returns its settings.
  func prepare(in folder: String) throws -> [String] {
    let hba = """
      local all all trust
      \(isEncrypted ? "hostssl" : "host") all all 127.0.0.0/8 scram-sha-256
      """
    try hba.write(toFile: "\(folder)/hba", atomically: true, encoding: .utf8)
    for name in ["server.pem", "server.key"] {
      let bytes = try Data(contentsOf: URL(filePath: certificates.path(name)))
      try bytes.write(to: URL(filePath: "\(folder)/\(name)"))
    }
    // The server refuses a key that others can read.
    let key = "\(folder)/server.key"
    chmod(key, 0o600)
    if getuid() == 0, let user = getpwnam("postgres") {
      chown(key, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    return [
      "listen_addresses=\(address)", "hba_file=\(folder)/hba", "ssl=\(isEncrypted ? "on" : "off")",
      "ssl_cert_file=\(folder)/server.pem", "ssl_key_file=\(key)",
    ]
  }
}

extension PostgreSQLServer {
  /// The URL of a database on a network.
  ///
  /// - Parameters:
  ///   - name: the server's name, which its certificate must contain; `nil` for the right one.
  ///   - authority: the authority that is trusted; `nil` for the system's.
  public func url(
    of database: String, on network: PostgreSQLNetwork, name: String? = nil,
    trusting authority: String? = "ca"
  ) -> String {
    let root = authority.map { "&sslrootcert=\(network.certificates.path("\($0).pem"))" } ?? ""
    return "postgresql://\(Self.user)@\(name ?? network.name):\(network.port)/\(database)"
      + "?hostaddr=\(network.address)\(root)"
  }
}
