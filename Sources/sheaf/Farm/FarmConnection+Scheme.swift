import HTTP

extension FarmConnection {
  /// The failure if the address says `http` and the port speaks TLS, or the reverse; `nil` if that is not the case, or
  /// if the coordinator has answered before.
  ///
  /// Neither side of such a connection gets a message that it can read, so this tries the other scheme, without the
  /// token.
  func schemeMismatch() async -> CommandFailure? {
    let isSecure = base.lowercased().hasPrefix("https:")
    let rest = base.drop { $0 != ":" }
    let other = (isSecure ? "http" : "https") + rest
    guard contact.beginSchemeCheck() else { return nil }
    let probe = Client(userAgent: "sheaf", connectTimeout: .seconds(3))
    do {
      let response = try await probe.send(
        ClientRequest(.get, "\(other)/healthz", timeout: .seconds(3)))
      // Some servers answer plain HTTP at a TLS port, to say that it is one.
      if isSecure, response.status == .badRequest { return nil }
    } catch let error as ClientError where !isSecure && error.code == .secureConnectionFailed {
      // It has a certificate, even if this host does not trust it.
    } catch {
      return nil
    }
    return isSecure
      ? CommandFailure(
        .coordinatorUnreachable, "the coordinator does not use TLS", on: base,
        remedy: "use \(other), or start the coordinator with --tls-certificate")
      : CommandFailure(
        .coordinatorUnreachable, "the coordinator uses TLS", on: base, remedy: "use \(other)")
  }
}

extension ClientError {
  /// Whether a client that uses the wrong scheme could see this failure.
  var mayBeSchemeMismatch: Bool {
    [.connectionLost, .handshakeFailed, .invalidResponse, .other].contains(code)
  }
}
