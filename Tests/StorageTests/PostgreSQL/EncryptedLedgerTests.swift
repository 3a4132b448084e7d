import CoordinatorSupport
import Foundation
import Support
import Testing

/// A coordinator whose ledger is on a server that accepts only TLS and a password.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct EncryptedLedgerTests {
  private let directory: TemporaryDirectory
  private let network: PostgreSQLNetwork
  private let server: PostgreSQLServer
  private let database: String
  private let passwordFile: String

  init() throws {
    directory = try TemporaryDirectory()
    network = try PostgreSQLNetwork(in: directory.path)
    server = try PostgreSQLServer(on: network)
    database = URL(filePath: try server.makeDatabase()).lastPathComponent
    passwordFile = directory.path("password")
    try write(network.password)
  }

  private func write(_ password: String) throws {
    try "\(password)\n".write(toFile: passwordFile, atomically: true, encoding: .utf8)
    chmod(passwordFile, 0o600)
  }

  private func options(name: String? = nil, trusting authority: String? = "ca") -> [String] {
    let url = server.url(of: database, on: network, name: name, trusting: authority)
    return ["--ledger", url, "--ledger-password-file", passwordFile]
  }

  @Test func `all connections of a coordinator are encrypted`() throws {
    let coordinator = try RunningCoordinator(data: directory.path("data"), options())
    defer { coordinator.kill() }
    let connections = """
      FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'sheaf-coordinator'
      """
    // The one that renews the claim opens a little later.
    try blockUntil("both connections are open") {
      try server.run("SELECT count(*) > 1 \(connections)", in: "postgres") == "t"
    }
    #expect(try server.run("SELECT bool_and(ssl) \(connections)", in: "postgres") == "t")
  }

  @Test func `a coordinator does not start with a server that it cannot verify`() throws {
    let remedy = "check the server's certificate, or name its authority: ?sslrootcert=FILE"
    try expectRefusal(options(trusting: "other"), "certificate verify failed", remedy)
    try expectRefusal(options(name: "db-2.sheaf.test"), "does not match host name", remedy)
    try write("tell-nobody")
    try expectRefusal(
      options(), "password authentication failed", "check the user in the URL and the password")
    #expect(try server.run("SELECT to_regclass('ledger_owner') IS NULL", in: database) == "t")
  }

  private func expectRefusal(_ options: [String], _ problem: String, _ remedy: String) throws {
    let outcome = try Program.coordinator.run(
      ["serve", "--data", directory.path("refused"), "--port", "0"] + options)
    #expect(outcome.status == 1)
    let message = outcome.standardError
    #expect(message.contains("the ledger cannot be opened"), "\(message)")
    #expect(message.contains(problem) && message.contains(remedy), "\(message)")
    #expect(!message.contains("tell-nobody"))
  }
}
