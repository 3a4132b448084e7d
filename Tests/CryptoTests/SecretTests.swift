import Crypto
import Testing

struct SecretTests {
  @Test func `a token stands in a path as it is`() {
    let allowed = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    for _ in 0..<200 {
      let token = SecureRandom.token()
      #expect(token.count == 43)
      #expect(token.allSatisfy(allowed.contains))
    }
  }

  @Test func `no two tokens are equal`() {
    #expect(Set((0..<1000).map { _ in SecureRandom.token(bytes: 16) }).count == 1000)
  }
}
