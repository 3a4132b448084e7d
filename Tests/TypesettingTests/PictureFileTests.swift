import Crypto
import Foundation
import Support
import Testing
import Typesetting

/// Pictures are hashed while they are written.
struct PictureFileTests {
  @Test func `a picture's digest is that of the bytes as they were written`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("picture")
    let file = try PictureFile(path)
    let parts = ["the first half, ", "the second half"].map { Array($0.utf8) }
    #expect(parts[0].withUnsafeBytes(file.write))
    let disk = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    try disk.write(contentsOf: [UInt8(ascii: "T")])
    try disk.close()
    #expect(parts[1].withUnsafeBytes(file.write))
    #expect(file.byteCount == 31)
    #expect(file.digest() == Digest.of(parts[0] + parts[1]))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)).starts(with: "The first".utf8))
  }
}
