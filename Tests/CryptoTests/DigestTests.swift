import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct DigestTests {
  /// The examples of FIPS 180-2, appendix B, and the empty message.
  static let examples: [(String, String)] = [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ]

  @Test(arguments: examples)
  func `a digest is the published one`(_ text: String, _ hex: String) {
    #expect(Digest.of(Array(text.utf8)).description == hex)
  }

  @Test func `the digest does not depend on the pieces`() {
    let content = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    var hasher = SHA256()
    hasher.update(content[..<1])
    hasher.update([UInt8](content[1..<70_000]))
    content[70_000...].withUnsafeBytes { hasher.update($0) }
    #expect(hasher.finalize() == Digest.of(content))
  }

  @Test(arguments: [0, 1, (1 << 20) - 1, 1 << 20, (3 << 20) + 5])
  func `the digest of a file is that of its content`(_ count: Int) throws {
    let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("sheaf-crypto-\(UUID().uuidString)")
    try content.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Digest.of(file: file.path) == Digest.of(content))
  }

  @Test func `the error for a missing file names it`() {
    let error = #expect(throws: FileReadError.self) { try Digest.of(file: "/nonexistent/file") }
    #expect(error?.description == "cannot read: /nonexistent/file: No such file or directory")
  }

  @Test func `a digest is read back from its text`() throws {
    let digest = Digest.of(Array("content".utf8))
    #expect(Digest(hex: digest.description) == digest)
    let json = try JSONEncoder().encode([digest])
    #expect(String(decoding: json, as: UTF8.self) == "[\"\(digest)\"]")
    #expect(try JSONDecoder().decode([Digest].self, from: json) == [digest])
  }

  @Test(arguments: [
    "", "00", String(repeating: "0", count: 63), String(repeating: "0", count: 65),
    String(repeating: "g", count: 64), String(repeating: "é", count: 32),
  ])
  func `text that is not a digest is rejected`(_ text: String) {
    #expect(Digest(hex: text) == nil)
  }

  @Test func `digests sort as their texts do`() {
    let digests = (0..<50).map { Digest.of([UInt8($0)]) }
    #expect(digests.sorted().map(\.description) == digests.map(\.description).sorted())
  }
}
