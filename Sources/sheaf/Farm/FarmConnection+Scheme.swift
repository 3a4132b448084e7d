import HTTP

extension FarmConnection {
  /// The failure if a URL's address says `http` and the port speaks TLS, or the reverse; `nil` if that is not the case,
  /// or if a coordinator has answered before.
  func schemeMismatch(at url: String) async -> CommandFailure? {
    guard contact.beginSchemeCheck() else { return nil }
    return await SchemeMismatch.find(at: servers.address(in: url)).map { CommandFailure($0) }
  }
}

extension CommandFailure {
  /// The failure for an address with the wrong scheme.
  init(_ mismatch: SchemeMismatch) {
    self.init(
      .coordinatorUnreachable, mismatch.problem(of: "the coordinator"), on: mismatch.url,
      remedy: mismatch.remedy(for: "the coordinator", with: "--tls-certificate"))
  }
}
