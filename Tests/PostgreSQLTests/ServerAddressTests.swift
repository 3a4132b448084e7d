import PostgreSQL
import Support
import Testing

@Suite(.mayBlock) struct ServerAddressTests {
  @Test(
    arguments: [
      "postgresql://sheaf@db.example.org/farm", "postgres://sheaf@10.0.0.7:5433/farm",
      "postgresql://a.example.org,b.example.org/farm?sslmode=verify-ca",
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
    ])
  func `another URL is rejected with the reason`(url: String, reason: String) {
    let error = #expect(throws: PostgreSQLError.self) {
      try ServerAddress(url, program: "tests")
    }
    #expect(error?.code == .invalidAddress)
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
    #expect(error?.message.contains(url) == true)
  }

  @Test func `a password in the URL is rejected, and is not in the message`() {
    let error = #expect(throws: PostgreSQLError.self) {
      try ServerAddress("postgresql://sheaf:tell-nobody@localhost/farm", program: "tests")
    }
    #expect(error?.code == .invalidAddress)
    #expect(error?.description.contains("tell-nobody") == false)
  }
}
