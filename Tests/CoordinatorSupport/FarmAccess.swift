import FarmAPI
import Foundation
import HTTP
import Support
import sheaf_coordinator

/// Clients of a coordinator, one for each role, and the arguments with which it admits them.
package struct FarmAccess: Sendable {
  /// The arguments of `serve`.
  package let arguments: [String]
  /// The tokens of the clients, if they have any.
  package let tokens: FarmTokens?
  /// The clients that submit, render and administrate.
  package let submitter, worker, admin: Client

  /// Makes certificates next to the data directory `data` and tokens in it, unless `security` is open.
  package init(_ security: FarmSecurity, data: String) throws {
    guard security == .secured else {
      (arguments, tokens) = ([], nil)
      (submitter, worker, admin) = (Client(), Client(), Client())
      return
    }
    let folder = "\(data).certificates"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let files = try Certificates(in: folder)
    arguments = [
      "--require-tokens", "--tls-certificate", files.path("server.pem"), "--tls-key",
      files.path("server.key"), "--tls-client-ca", files.path("ca.pem"),
    ]
    let tokens = try FarmTokens(data: data)
    self.tokens = tokens
    func client(_ token: String, isWorker: Bool = false) -> Client {
      var credentials = Credentials(
        token: BearerToken(token), authorityFile: files.path("ca.pem"))
      if isWorker {
        credentials.certificateFile = files.path("client.pem")
        credentials.keyFile = files.path("client.key")
      }
      return Client(credentials: credentials)
    }
    submitter = client(tokens.submitter)
    worker = client(tokens.worker, isWorker: true)
    admin = client(tokens.admin)
  }
}
