import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct HMACTests {
  /// The test cases 1, 2 and 6 of RFC 4231.
  @Test(arguments: [
    (
      Data(repeating: 0x0b, count: 20), "Hi There",
      "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    ),
    (
      Data("Jefe".utf8), "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ),
    (
      Data(repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
    ),
  ])
  func `a message has the hash that the RFC states`(key: Data, message: String, hash: String) {
    #expect(HMAC.sha256(of: Data(message.utf8), key: key).description == hash)
  }
}
