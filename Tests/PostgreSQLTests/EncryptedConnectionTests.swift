import Foundation
import PostgreSQL
import SQL
import Support
import Testing

/// Connections to a server on another address, which accepts only TLS and a password.
@Suite(.mayBlock) struct EncryptedConnectionTests {
  private static let shared = Result { try NetworkServer() }

  /// A server, its network and the folder of its certificates.
  private struct NetworkServer {
    let folder: TemporaryDirectory
    let network: PostgreSQLNetwork
    let server: PostgreSQLServer

    init(isEncrypted: Bool = true) throws {
      folder = try TemporaryDirectory()
      network = try PostgreSQLNetwork(in: folder.path, isEncrypted: isEncrypted)
      server = try PostgreSQLServer(on: network)
    }

    func connection(
      name: String? = nil, trusting authority: String? = "ca", password: String? = nil
    ) throws -> Connection {
      let url = server.url(of: "postgres", on: network, name: name, trusting: authority)
      return try Connection(
        to: ServerAddress(url, password: password ?? network.password, program: "tests"))
    }
  }

  @Test func `a connection to a server with the right certificate is encrypted`() throws {
    let connection = try Self.shared.get().connection()
    let isEncrypted = try connection.first(
      "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    ) { try $0.get(0, as: Bool.self) }
    #expect(isEncrypted == true)
  }

  @Test(arguments: ["other", nil])
  func `a server whose certificate another authority signed is refused`(authority: String?) throws {
    let server = try Self.shared.get()
    let error = #expect(throws: PostgreSQLError.self) {
      try server.connection(trusting: authority)
    }
    #expect(error?.code == .refused)
    let message = error?.message ?? ""
    #expect(message.contains("cannot connect to postgresql://"), "\(message)")
    #expect(message.contains("certificate verify failed"), "\(message)")
  }

  @Test func `a server whose certificate has another name is refused`() throws {
    let server = try Self.shared.get()
    let error = #expect(throws: PostgreSQLError.self) {
      try server.connection(name: "db-2.sheaf.test")
    }
    #expect(error?.code == .refused)
    let message = error?.message ?? ""
    #expect(
      message.contains(
        "server certificate for \"db.sheaf.test\" does not match host name \"db-2.sheaf.test\""),
      "\(message)")
  }

  @Test func `a wrong password is refused, and is not in the message`() throws {
    let server = try Self.shared.get()
    let error = #expect(throws: PostgreSQLError.self) {
      try server.connection(password: "tell-nobody")
    }
    #expect(error?.code == .refused)
    let message = error?.message ?? ""
    #expect(message.contains("password authentication failed"), "\(message)")
    #expect(!message.contains("tell-nobody"), "\(message)")
  }

  @Test func `a server without TLS is refused`() throws {
    let server = try NetworkServer(isEncrypted: false)
    let error = #expect(throws: PostgreSQLError.self) { try server.connection() }
    #expect(error?.code == .refused)
    let message = error?.message ?? ""
    #expect(message.contains("server does not support SSL"), "\(message)")
  }
}
