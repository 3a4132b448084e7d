import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct BlockDigestsTests {
  private static let content = (0..<10_500).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  private let list = BlockDigests.of(Self.content, blockSize: 1000)

  private func block(_ index: Int) -> [UInt8] {
    Array(Self.content[(index * 1000)..<min((index + 1) * 1000, Self.content.count)])
  }

  @Test func `every block has the digest of its own bytes`() {
    #expect(list.blockCount == 11)
    #expect(list.content == Digest.of(Self.content))
    for index in 0..<list.blockCount {
      #expect(list.length(of: index) == block(index).count)
      #expect(block(index).withUnsafeBytes { list.matches($0, block: index) })
    }
  }

  /// Files are read in pieces of 1 MiB.
  @Test(arguments: [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 3 << 20, 3 << 20 + 5])
  func `a file has the digests of its bytes`(count: Int) throws {
    let folder = try TemporaryDirectory()
    let bytes = [UInt8](
      unsafeUninitializedCapacity: count,
      initializingWith: { buffer, filled in
        for place in 0..<count {
          buffer[place] = UInt8(truncatingIfNeeded: place &* 31 &+ place >> 9)
        }
        filled = count
      })
    let path = folder.path("file")
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try BlockDigests.of(file: path) == BlockDigests.of(bytes))
  }

  @Test func `hashing a file ends when it is no longer wanted`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("file")
    try Data(count: 4 << 20).write(to: URL(filePath: path))
    var asked = 0
    let list = try BlockDigests.of(file: path) {
      asked += 1
      return asked < 3
    }
    #expect(list == nil)
    #expect(asked == 3)
  }

  @Test(arguments: [0, 7, 10]) func `a flipped bit is detected`(index: Int) {
    for (place, bit) in [(0, 0), (block(index).count / 2, 3), (block(index).count - 1, 7)] {
      var bytes = block(index)
      bytes[place] ^= 1 << UInt8(bit)
      #expect(!bytes.withUnsafeBytes { list.matches($0, block: index) })
    }
  }

  @Test func `a block in another block's place is detected`() {
    #expect(!block(3).withUnsafeBytes { list.matches($0, block: 4) })
    #expect(!block(3).dropLast().withUnsafeBytes { list.matches($0, block: 3) })
    #expect(!block(3).withUnsafeBytes { list.matches($0, block: 11) })
    #expect(!block(3).withUnsafeBytes { list.matches($0, block: -1) })
  }

  @Test(arguments: [0, 1, 999, 1000, 1001, 2000])
  func `the encoded list is read back`(count: Int) {
    let list = BlockDigests.of(Self.content.prefix(count), blockSize: 1000)
    #expect(BlockDigests(encoded: list.encoded) == list)
    #expect(list.digest == Digest.of(list.encoded))
    #expect(
      list.encoded.count
        == BlockDigests.encodedByteCount(byteCount: Int64(count), blockSize: 1000))
  }

  @Test func `flipping any bit of the encoded list changes its digest`() {
    for place in list.encoded.indices {
      var bytes = list.encoded
      bytes[place] ^= 0x10
      #expect(BlockDigests(encoded: bytes)?.digest != list.digest)
    }
  }

  @Test func `bytes that are not a list are rejected`() {
    #expect(BlockDigests(encoded: [UInt8]()) == nil)
    #expect(BlockDigests(encoded: list.encoded.dropLast()) == nil)
    #expect(BlockDigests(encoded: list.encoded + [0]) == nil)
    #expect(BlockDigests(encoded: Array("not a list".utf8)) == nil)
  }

  @Test func `the list does not depend on the size of the pieces`() {
    for size in [1, 7, 999, 1000, 4096] {
      var hasher = BlockHasher(blockSize: 1000)
      for start in stride(from: 0, to: Self.content.count, by: size) {
        Self.content[start..<min(start + size, Self.content.count)]
          .withUnsafeBytes { hasher.update($0) }
      }
      #expect(hasher.finalize() == list)
    }
  }
}
