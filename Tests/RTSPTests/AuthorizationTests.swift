import RTSP
import Support
import Testing

@Suite(.mayBlock) struct AuthorizationTests {
  private static let credentials = RTSPCredentials("Mufasa:Circle of Life")

  private func header(
    _ text: String, user: RTSPCredentials? = AuthorizationTests.credentials, nonce: String,
    method: String = "GET"
  ) throws -> String? {
    var answer = Authorization(
      Challenge.challenges(in: text), try #require(user), clientNonce: nonce)
    return answer?.header(method: method, url: "/dir/index.html")
  }

  /// The examples of RFC 2617, 3.5 (with its password), and of RFC 7616, 3.9.1.
  @Test(arguments: [
    (
      "MD5", "dcd98b7102dd2f0e8b11d0f600bfb0c093", "0a4f113b", "Circle Of Life",
      "testrealm@host.com", "6629fae49393a05397450978507c4ef1"
    ),
    (
      "MD5", "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
      "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "Circle of Life",
      "http-auth@example.org", "8ca523f5e9506fed4657c9700eebdbec"
    ),
    (
      "SHA-256", "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v",
      "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", "Circle of Life",
      "http-auth@example.org", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"
    ),
  ]) func `a digest is the one that the RFC states`(
    algorithm: String, nonce: String, clientNonce: String, password: String, realm: String,
    answer: String
  ) throws {
    let text = try header(
      "Digest realm=\"\(realm)\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
        + "nonce=\"\(nonce)\", opaque=\"5ccc\"",
      user: RTSPCredentials("Mufasa:\(password)"), nonce: clientNonce)
    #expect(text?.contains("response=\"\(answer)\"") == true)
    #expect(text?.contains("nc=00000001") == true)
    #expect(text?.contains("opaque=\"5ccc\"") == true)
    #expect(text?.contains("algorithm=SHA-256") == (algorithm == "SHA-256"))
  }

  /// `MD5(MD5("ada:cam:secret"):n:MD5("DESCRIBE:/dir/index.html"))`, as RFC 2069 defines it.
  @Test func `a challenge without a quality of protection is answered as before RFC 2617`() throws {
    let text = try header(
      "Digest realm=\"cam\", nonce=\"n\"", user: RTSPCredentials("ada:secret"), nonce: "c",
      method: "DESCRIBE")
    #expect(text?.contains("response=\"043f786debabfcd8622d97c991ce8ecd\"") == true)
    #expect(text?.contains("qop") == false)
  }

  @Test func `the strongest of several challenges is answered`() throws {
    let several = "Basic realm=\"a, b\", Digest realm=\"c\", nonce=\"1\""
    #expect(try header(several, nonce: "c")?.hasPrefix("Digest") == true)
    let both = several + ", Digest realm=\"d\", nonce=\"2\", algorithm=SHA-256"
    #expect(try header(both, nonce: "c")?.contains("realm=\"d\"") == true)
    #expect(try header("Basic realm=x", nonce: "c")?.hasPrefix("Basic ") == true)
  }

  @Test(arguments: [
    "", "Negotiate", "Digest realm=\"x\", nonce=\"1\", algorithm=SHA-512-256",
    "Digest realm=\"x\", nonce=\"1\", qop=\"auth-int\"",
    "Basic realm=\"x\", Digest realm=\"x\", nonce=\"1\", algorithm=SHA-512-256",
    "Digest realm=\"a\\\"b\", nonce=\"1\"", "=,=,\"",
  ]) func `an unsupported challenge has no answer`(text: String) throws {
    #expect(try header(text, nonce: "c") == nil)
  }

  @Test func `quotes in the name of a user are escaped`() throws {
    let text = try header(
      "Digest realm=\"x\", nonce=\"1\"", user: RTSPCredentials("a\"\\b:c"), nonce: "c")
    #expect(text?.hasPrefix(#"Digest username="a\"\\b", realm="#) == true)
  }

  @Test(arguments: ["", "user", ":password"])
  func `credentials need a user and a colon`(text: String) {
    #expect(RTSPCredentials(text) == nil)
  }

  @Test func `credentials are not printed`() {
    var dumped = ""
    dump(Self.credentials, to: &dumped)
    #expect(!"\(Self.credentials as Any) \(dumped)".contains("Circle"))
  }
}
