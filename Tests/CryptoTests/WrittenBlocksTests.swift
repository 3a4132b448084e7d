import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct WrittenBlocksTests {
  /// A block does not read back as it was written.
  private struct Changed: Error {}

  /// A file in memory. Like a muxer's file, it is recorded before it is written.
  private struct File {
    var blocks = WrittenBlocks()
    var bytes: [UInt8] = []

    mutating func write(_ piece: [UInt8], at offset: Int) throws {
      let bytes = bytes
      let isRecorded = piece.withUnsafeBytes { piece in
        blocks.write(piece, at: Int64(offset)) { start, count in
          Array(bytes[Int(start)...].prefix(count))
        }
      }
      guard isRecorded else { throw Changed() }
      let end = min(offset + piece.count, bytes.count)
      self.bytes.replaceSubrange(offset..<end, with: piece)
    }
  }

  private static let blockSize = 1 << 18

  @Test func `a file that is missing is an error`() throws {
    let folder = try TemporaryDirectory()
    #expect(throws: FileReadError.self) { try WrittenContent.of(file: folder.path("film.mp4")) }
  }

  @Test(arguments: [
    0, 1, blockSize - 1, blockSize, blockSize + 1, 3 * blockSize, 21 * blockSize + 3,
  ])
  func `a file that is written once has the content of its blocks`(count: Int) throws {
    var file = File()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try file.write(bytes, at: 0)
    #expect(file.blocks.byteCount == Int64(count))
    #expect(file.blocks.content == WrittenContent.of(bytes))
    let folder = try TemporaryDirectory()
    try Data(bytes).write(to: URL(filePath: folder.path("file")))
    #expect(try WrittenContent.of(file: folder.path("file")) == file.blocks.content)
  }

  @Test func `a file that is written in pieces and rewritten has its final content`() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<8 {
      var file = File()
      for _ in 0..<40 {
        let isAppended = Bool.random(using: &generator)
        let offset =
          isAppended ? file.bytes.count : Int.random(in: 0...file.bytes.count, using: &generator)
        let count = Int.random(in: 0..<Self.blockSize * 3 / 2, using: &generator)
        let piece = [UInt8](repeating: .random(in: 0...255, using: &generator), count: count)
        try file.write(piece, at: offset)
      }
      #expect(file.blocks.content == WrittenContent.of(file.bytes))
    }
  }

  @Test func `a bit that flips after it was written is detected`() throws {
    var file = File()
    try file.write([UInt8](repeating: 7, count: 5 * Self.blockSize / 2), at: 0)
    for place in [0, Self.blockSize, file.bytes.count - 1] {
      var damaged = file
      damaged.bytes[place] ^= 0x10
      #expect(damaged.blocks.content != WrittenContent.of(damaged.bytes))
    }
  }

  @Test func `a block that has changed cannot be written to`() throws {
    var file = File()
    try file.write([UInt8](repeating: 7, count: 2 * Self.blockSize), at: 0)
    file.bytes[100] ^= 1
    #expect(throws: Changed.self) { try file.write([1, 2, 3], at: 5000) }
    #expect(throws: Changed.self) { try file.write([1, 2, 3], at: Self.blockSize - 2) }
    try file.write([1, 2, 3], at: Self.blockSize)
  }
}
