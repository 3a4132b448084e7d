import Crypto
import Foundation
import HTTP
import S3
import Support
import Testing

/// The examples that Amazon publishes in "Authenticating Requests (AWS Signature Version 4)".
@Suite(.mayBlock) struct SignerTests {
  private static let host = "examplebucket.s3.amazonaws.com"
  private let signer = Signer(
    AccessKey(id: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1", at: Date(timeIntervalSince1970: 1_369_353_600))

  /// A published request and its signature.
  struct Example: Sendable, CustomTestStringConvertible {
    let name: String
    let method: HTTP.Method
    var path = "/"
    var query: [String: String] = [:]
    var headers: [String: String] = [:]
    var body = ""
    let signature: String

    var testDescription: String { name }
  }

  static let examples = [
    Example(
      name: "GET an object", method: .get, path: "/test.txt", headers: ["Range": "bytes=0-9"],
      signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    Example(
      name: "PUT an object", method: .put, path: "/test%24file.text",
      headers: [
        "Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
      ], body: "Welcome to Amazon S3.",
      signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    Example(
      name: "GET the lifecycle of a bucket", method: .get, query: ["lifecycle": ""],
      signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    Example(
      name: "list objects", method: .get, query: ["max-keys": "2", "prefix": "J"],
      signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
  ]

  @Test(arguments: examples) func `a request has the published signature`(example: Example) {
    let request = Signer.Unsigned(
      method: example.method, host: Self.host, path: example.path, query: example.query,
      headers: example.headers)
    let fields = signer.headers(for: request, payload: Digest.of(Data(example.body.utf8)))
    #expect(fields["Authorization"]?.hasSuffix("Signature=\(example.signature)") == true)
  }

  @Test func `a URL has the published signature`() {
    let request = Signer.Unsigned(method: .get, host: Self.host, path: "/test.txt")
    let query = signer.query(for: request, lasting: 86_400)
    #expect(
      query.hasSuffix(
        "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
  }

  @Test func `a temporary key's token is signed and sent`() {
    let signer = Signer(
      AccessKey(id: "ID", secret: "SECRET", session: "TOKEN/1"), region: "eu-central-1", at: Date())
    let request = Signer.Unsigned(method: .get, host: "store", path: "/farm/a")
    let fields = signer.headers(for: request, payload: Digest.of([]))
    #expect(fields["x-amz-security-token"] == "TOKEN/1")
    #expect(fields["Authorization"]?.contains(";x-amz-security-token,") == true)
    let query = signer.query(for: request, lasting: 60)
    #expect(query.contains("X-Amz-Security-Token=TOKEN%2F1&"))
    #expect(!query.contains("SECRET") && !"\(fields)".contains("SECRET"))
  }
}
