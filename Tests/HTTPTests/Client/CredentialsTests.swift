import Foundation
import HTTP
import Support
import Testing

@Suite(.mayBlock) struct CredentialsTests {
  @Test func `the token is sent with every request and appears in no message`() async throws {
    var router = Router()
    router.get("/") { request in .text(request.headers["Authorization"] ?? "none") }
    router.get("/no") { _ in throw HTTPError(.forbidden, detail: "no") }
    try await withServer(router) { _, base, _ in
      let client = Client(credentials: Credentials(token: BearerToken("sheaf_secret\n")))
      let answer = try await client.send(ClientRequest(.get, base))
      #expect(String(decoding: answer.body, as: UTF8.self) == "Bearer sheaf_secret")
      let refusal = try await client.send(ClientRequest(.get, base + "/no"))
      #expect { try refusal.successful() } throws: { !"\($0)".contains("secret") }
    }
  }

  @Test(arguments: ["", " ", "two words", "line\nbreak", "ü"])
  func `text that is not a valid token is rejected`(text: String) {
    #expect(BearerToken(text) == nil)
  }

  @Test func `a token is read from a file`() async throws {
    try await withDirectory { folder in
      try Data("sheaf_abc\n".utf8).write(to: URL(fileURLWithPath: folder + "/token"))
      #expect(BearerToken(file: folder + "/token") == BearerToken("sheaf_abc"))
      #expect(BearerToken(file: folder + "/none") == nil)
    }
  }

  @Test func `the token is never printed`() throws {
    let credentials = Credentials(token: BearerToken("sheaf_secret"))
    var dumped = ""
    dump(credentials, to: &dumped)
    #expect(!dumped.contains("secret"))
    #expect(!"\(credentials)".contains("secret"))
    #expect(!String(reflecting: credentials).contains("secret"))
  }
}
