import FarmAPI
import Foundation
import HTTP
import Support
import sheaf_coordinator

/// How a test's coordinator is reached: what restarts one runs with both.
enum FarmSecurity: String, CaseIterable, Sendable {
  case open = "loopback, without tokens"
  case secured = "tokens and TLS"
}

/// Clients of a coordinator, one for each role, and what it is started with to let them in.
struct FarmAccess: Sendable {
  /// What `serve` gets.
  let arguments: [String]
  /// The role of whoever submits, renders and administrates.
  let submitter, worker, admin: Client

  /// Makes what is needed beside the data directory `data`, and its tokens.
  init(_ security: FarmSecurity, data: String) throws {
    guard security == .secured else {
      (arguments, submitter, worker, admin) = ([], Client(), Client(), Client())
      return
    }
    let folder = "\(data).certificates"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let files = try Certificates(in: folder)
    arguments = [
      "--require-tokens", "--tls-certificate", files.path("server.pem"), "--tls-key",
      files.path("server.key"), "--tls-client-ca", files.path("ca.pem"),
    ]
    func client(_ role: Role, _ name: String) throws -> Client {
      let (token, record) = TokenRecord.make(role: role, name: name, at: Date())
      try TokenFile(data: data).update { $0.append(record) }
      var credentials = Credentials(
        token: BearerToken(token), authorityFile: files.path("ca.pem"))
      if role == .worker {
        credentials.certificateFile = files.path("client.pem")
        credentials.keyFile = files.path("client.key")
      }
      return Client(credentials: credentials)
    }
    submitter = try client(.submitter, "anna")
    worker = try client(.worker, "rack")
    admin = try client(.admin, "root")
  }
}
