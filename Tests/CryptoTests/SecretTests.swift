import Crypto
import Support
import Testing

@Suite(.mayBlock) struct SecretTests {
  @Test func `a token needs no escaping in a path`() {
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

  @Test(arguments: [0, 15, 31])
  func `the constant-time comparison finds a difference in any byte of a digest`(place: Int) throws
  {
    let digest = Digest.of([UInt8]("a".utf8))
    #expect(digest.isEqualInConstantTime(to: Digest.of([UInt8]("a".utf8))))
    var bytes = digest.bytes
    bytes[place] ^= 1
    let other = try #require(Digest(bytes: bytes))
    #expect(!digest.isEqualInConstantTime(to: other))
  }
}
