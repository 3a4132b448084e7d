import CPostgreSQL
import Glibc

/// Where a database is, and how it is reached: a URL such as `postgresql://sheaf@db.example.org/farm`.
///
/// The connection to a server on another host uses TLS, and the server's certificate must be valid for the host in the URL.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// The URL, which contains no password.
  public let description: String
  /// The parameters of libpq, by keyword.
  let parameters: [String: String]

  /// The certificates that Debian trusts.
  private static let systemAuthorities = "/etc/ssl/certs/ca-certificates.crt"
  /// The folder of Debian's server's socket.
  private static let socketFolder = "/var/run/postgresql"
  /// Variables that would make libpq connect to another server than the URL names.
  private static let variables = ["PGHOSTADDR", "PGSERVICE"]

  /// Checks a URL, with the parameters that libpq documents ("Connection URIs").
  ///
  /// - Parameters:
  ///   - password: the password, which must not be in the URL; `nil` if libpq should look for it in `PGPASSWORD` or in a
  ///     password file, or if the server asks for none.
  ///   - program: the program's name, which the server shows to administrators.
  /// - Throws: ``PostgreSQLError/Code/invalidAddress``, whose message never contains a password.
  public init(
    _ url: String, password: String? = nil, program: String
  ) throws(PostgreSQLError) {
    guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
      throw Self.invalid("its scheme must be postgresql")
    }
    var given = try Self.parse(url)
    guard given["password"] == nil, given["sslpassword"] == nil else {
      throw PostgreSQLError(
        .invalidAddress,
        "the URL of the database contains a password, which other users of this host could see: "
          + "put it into a file or the environment")
    }
    let ports = (given["port"] ?? "").split(separator: ",")
    if let port = ports.first(where: { (UInt16($0) ?? 0) == 0 }) {
      throw Self.rejected(url, "invalid port \"\(port)\"")
    }
    guard given["service"] == nil else {
      throw Self.rejected(url, "a service file may name another server: write its host instead")
    }
    if let name = Self.variables.first(where: { getenv($0) != nil }) {
      throw Self.rejected(url, "$\(name) names another server: unset it")
    }
    if given["host"] == nil, given["hostaddr"] == nil { given["host"] = Self.socketFolder }
    if Self.isRemote(given) { try Self.verify(url, &given) }
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

  /// Makes libpq verify the server's certificate.
  private static func verify(
    _ url: String, _ parameters: inout [String: String]
  ) throws(PostgreSQLError) {
    let mode = parameters["sslmode"] ?? "verify-full"
    guard mode == "verify-full" else {
      throw rejected(
        url,
        "sslmode=\(mode) does not verify the server's certificate and its name: use "
          + "sslmode=verify-full, or leave it out")
    }
    // The options that are not in the URL are set too, so that the environment cannot change them.
    parameters["sslmode"] = mode
    parameters["gssencmode"] = "disable"
    if parameters["sslrootcert"] == nil, access(systemAuthorities, R_OK) == 0 {
      parameters["sslrootcert"] = systemAuthorities
    }
  }

  /// The error for a text that is not the URL of a database. It may contain a password anywhere, so it is not quoted.
  private static func invalid(_ problem: String?) -> PostgreSQLError {
    PostgreSQLError(
      .invalidAddress,
      "the URL of the database is invalid: "
        + "\(problem.map { "\($0): " } ?? "")write it as postgresql://user@host/database, without a "
        + "password")
  }

  /// The error for a URL with something that is not allowed.
  private static func rejected(_ url: String, _ problem: String) -> PostgreSQLError {
    PostgreSQLError(.invalidAddress, "cannot use the database \(url): \(problem)")
  }

  /// The parameters in a URL.
  private static func parse(_ url: String) throws(PostgreSQLError) -> [String: String] {
    var message: UnsafeMutablePointer<CChar>?
    guard let options = PQconninfoParse(url, &message) else {
      defer { PQfreemem(message) }
      // Other messages of libpq quote the text.
      let problem = PostgreSQLError.oneLine(message)
      throw invalid(problem.hasPrefix("invalid URI query parameter") ? problem : nil)
    }
    defer { PQconninfoFree(options) }
    var found: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      // libpq treats an empty value like a missing one.
      if let value = option.pointee.val, value.pointee != 0 {
        found[String(cString: keyword)] = String(cString: value)
      }
      option += 1
    }
    return found
  }

  /// Whether one of the hosts is neither this one nor a Unix socket.
  private static func isRemote(_ parameters: [String: String]) -> Bool {
    let hosts = parameters["hostaddr"] ?? parameters["host"] ?? ""
    return hosts.split(separator: ",", omittingEmptySubsequences: false).contains { host in
      // An empty one stands for the default socket, unless there are addresses.
      let isLocal = host.isEmpty && parameters["hostaddr"] == nil
      return !isLocal && !host.hasPrefix("/") && !host.hasPrefix("@")
        && !["localhost", "127.0.0.1", "::1"].contains(host)
    }
  }
}
