import Foundation

/// An authority and certificates that it signed, created for one test with `openssl`.
public struct Certificates: Sendable {
  private let folder: String

  /// Creates an authority with certificates for a server and a client, and a stranger's certificate that it did not sign.
  ///
  /// - Parameter server: the server's name.
  public init(in folder: String, server: String = "IP:127.0.0.1") throws {
    self.folder = folder
    try makeAuthority("ca")
    try makeAuthority("other")
    try sign("server", by: "ca", purpose: "serverAuth", names: "subjectAltName=\(server)")
    try sign("client", by: "ca", purpose: "clientAuth")
    try sign("stranger", by: "other", purpose: "clientAuth")
  }

  /// The path of `NAME.pem` or `NAME.key`: `ca`, `other`, `server`, `client`, `stranger`.
  public func path(_ name: String) -> String { "\(folder)/\(name)" }

  private func makeAuthority(_ name: String) throws {
    try run(
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
      "2", "-subj", "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).pem"))
  }

  private func sign(
    _ name: String, by authority: String, purpose: String, names: String = ""
  ) throws {
    try "extendedKeyUsage=\(purpose)\n\(names)\n".write(
      toFile: path("\(name).ext"), atomically: true, encoding: .utf8)
    try run(
      "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
      "/CN=\(name)", "-keyout", path("\(name).key"), "-out", path("\(name).csr"))
    try run(
      "x509", "-req", "-in", path("\(name).csr"), "-CA", path("\(authority).pem"), "-CAkey",
      path("\(authority).key"), "-CAcreateserial", "-days", "2", "-extfile", path("\(name).ext"),
      "-out", path("\(name).pem"))
  }

  private func run(_ arguments: String...) throws {
    try Tool.run("openssl", arguments)
  }
}
