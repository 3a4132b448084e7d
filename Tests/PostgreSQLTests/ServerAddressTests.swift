import PostgreSQL
import Support
import Testing

@Suite(.mayBlock) struct ServerAddressTests {
  @Test(
    arguments: [
      "postgresql://sheaf@db.example.org/farm", "postgres://sheaf@10.0.0.7:5433/farm",
      "postgresql://a.example.org,b.example.org/farm?sslmode=verify-full", "postgresql:///farm",
      "postgresql://sheaf@%2Frun%2Fpostgresql/farm", "postgresql://localhost/farm?sslmode=disable",
      "postgresql://[::1]/farm",
    ])
  func `the URL of a database is accepted`(url: String) throws {
    #expect(try ServerAddress(url, password: "secret", program: "tests").description == url)
  }

  @Test(
    arguments: [
      ("mysql://host/farm", "its scheme must be postgresql"),
      ("postgresql://host:port/farm", "invalid port"),
      ("postgresql://host/farm?speed=high", "invalid URI query parameter: \"speed\""),
      ("postgresql://db.example.org/farm?sslmode=require", "use sslmode=verify-full"),
      ("postgresql://localhost,db.example.org/farm?sslmode=disable", "use sslmode=verify-full"),
      ("postgresql://db.example.org/farm?sslmode=verify-ca", "use sslmode=verify-full"),
      ("postgresql:///farm?hostaddr=10.0.0.7&sslmode=prefer", "use sslmode=verify-full"),
      ("postgresql:///farm?service=studio", "write its host instead"),
    ])
  func `another URL is rejected with the reason`(url: String, reason: String) {
    let error = #expect(throws: PostgreSQLError.self) {
      try ServerAddress(url, program: "tests")
    }
    #expect(error?.code == .invalidAddress)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  @Test(
    arguments: [
      "postgresql://sheaf:tell-nobody@localhost/farm",
      "postgresql://sheaf:tell-nobody%zz@host/farm",
      "postgresql://sheaf:tell-nobody@2@host/farm?foo=1", "postgres//sheaf:tell-nobody@host/farm",
      "sheaf:tell-nobody@host", "postgresql://sheaf:tell-nobody@host:port/farm",
      "postgresql://host/farm?password=tell-nobody",
      "postgresql://host/farm?passw%6Frd=tell-nobody&port=x", "sheaf:tell/nobody@host",
      "postgresql://host/farm?password=tell-nobody%zz",
    ])
  func `a password in the URL is rejected, and is not in the message`(url: String) {
    let error = #expect(throws: PostgreSQLError.self) { try ServerAddress(url, program: "tests") }
    #expect(error?.code == .invalidAddress)
    #expect(error?.description.contains("tell") == false, "\(error?.message ?? "")")
  }
}
