/// The mistake of an address that begins with `http:` while its port expects TLS, or the reverse.
public struct SchemeMismatch: Hashable, Sendable {
  /// The address with the wrong scheme.
  public let url: String
  /// The same address with the other scheme.
  public let other: String
  /// Whether the port expects TLS.
  public let usesTLS: Bool

  /// Detects the mistake. Returns `nil` if the address is right, or if the server does not respond.
  ///
  /// Neither side of such a connection gets a message that it can read, so this tries the other scheme, without
  /// credentials.
  ///
  /// - Parameters:
  ///   - base: the address, without a slash at its end.
  ///   - path: a path that the server answers without credentials.
  public static func find(at base: String, path: String = "/healthz") async -> SchemeMismatch? {
    let isSecure = base.lowercased().hasPrefix("https:")
    let other = (isSecure ? "http" : "https") + base.drop { $0 != ":" }
    let client = Client(userAgent: "sheaf", connectTimeout: .seconds(3))
    do {
      let response = try await client.send(
        ClientRequest(.get, "\(other)\(path)", timeout: .seconds(3)))
      // Some servers answer plain HTTP at a TLS port, to say that it is one.
      if isSecure, response.status == .badRequest { return nil }
    } catch let error as ClientError where !isSecure && error.code == .secureConnectionFailed {
      // It has a certificate, even if this host does not trust it.
    } catch {
      return nil
    }
    return SchemeMismatch(url: base, other: other, usesTLS: !isSecure)
  }

  /// The mistake in words.
  ///
  /// - Parameter server: what the server is called, e.g. `the coordinator`.
  public func problem(of server: String) -> String {
    usesTLS ? "\(server) uses TLS" : "\(server) does not use TLS"
  }

  /// The remedy in words.
  ///
  /// - Parameter option: the option with which the server uses TLS.
  public func remedy(for server: String, with option: String) -> String {
    usesTLS ? "use \(other)" : "use \(other), or start \(server) with \(option)"
  }
}

extension ClientError {
  /// Whether a client that uses the wrong scheme could see this failure.
  public var mayBeSchemeMismatch: Bool {
    [.connectionLost, .handshakeFailed, .invalidResponse, .other].contains(code)
  }
}
