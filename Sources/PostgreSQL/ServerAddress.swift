import CPostgreSQL
import Glibc

/// Where a database is, and how it is reached: a URL such as `postgresql://sheaf@db.example.org/farm`.
///
/// The connection to a server on another host is encrypted, and the server's certificate is verified.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The URL, which contains no password.
  public let description: String
  /// The parameters of libpq, by keyword.
  let parameters: [String: String]

  /// The certificates that Debian trusts.
  private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"

  /// Checks a URL, with the parameters that libpq documents ("Connection URIs").
  ///
  /// - Parameters:
  ///   - password: the password, which must not be in the URL; `nil` if libpq should look for it in `PGPASSWORD` or in a
  ///     password file, or if the server asks for none.
  ///   - program: the program's name, which the server shows to administrators.
  /// - Throws: ``PostgreSQLError/Code/invalidAddress``.
  public init(
    _ url: String, password: String? = nil, program: String
  ) throws(PostgreSQLError) {
    guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
      throw Self.invalid(url, "its scheme must be postgresql")
    }
    var given = try Self.parse(url)
    guard given["password"] == nil, given["sslpassword"] == nil else {
      // The message must not contain the password.
      throw PostgreSQLError(
        .invalidAddress,
        "the URL of the database contains a password, which other users of this host could see: "
          + "put it into a file or the environment")
    }
    let ports = (given["port"] ?? "").split(separator: ",")
    if let port = ports.first(where: { (UInt16($0) ?? 0) == 0 }) {
      throw Self.invalid(url, "invalid port \"\(port)\"")
    }
    if Self.isRemote(given) {
      let mode = given["sslmode"] ?? "verify-full"
      guard ["verify-full", "verify-ca"].contains(mode) else {
        throw Self.invalid(
          url, "sslmode=\(mode) does not verify the server's certificate: use sslmode=verify-full")
      }
      given["sslmode"] = mode
      if given["sslrootcert"] == nil, access(Self.systemAuthorities, R_OK) == 0 {
        given["sslrootcert"] = Self.systemAuthorities
      }
    }
    given["password"] = password
    given["client_encoding"] = "UTF8"
    let defaults = [
      "application_name": program, "connect_timeout": "10",
      // Finds the server that accepts writes if the URL names several.
      "target_session_attrs": "read-write",
      // A host that disappears is noticed after 30 s.
      "keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "4",
      "tcp_user_timeout": "30000",
    ]
    parameters = given.merging(defaults) { given, _ in given }
    description = url
  }

  private static func invalid(_ url: String, _ problem: String) -> PostgreSQLError {
    PostgreSQLError(
      .invalidAddress,
      "\(url) is not the URL of a PostgreSQL database: \(problem): write it like "
        + "postgresql://user@host/database")
  }

  /// The parameters in a URL.
  private static func parse(_ url: String) throws(PostgreSQLError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &message) else {
      defer { PQfreemem(message) }
      throw invalid(url, PostgreSQLError.oneLine(message))
    }
    defer { PQconninfoFree(options) }
    var found: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val {
        found[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return found
  }

  /// Whether one of the hosts is neither this one nor a Unix socket.
  private static func isRemote(_ parameters: [String: String]) -> Bool {
    let hosts = parameters["hostaddr"] ?? parameters["host"] ?? ""
    return hosts.split(separator: ",").contains { host in
      !host.hasPrefix("/") && !host.hasPrefix("@")
        && !["localhost", "127.0.0.1", "::1"].contains(host)
    }
  }
}
