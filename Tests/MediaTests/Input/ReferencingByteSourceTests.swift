import Crypto
import Media
import Support
import Testing

@Suite(.mayBlock) struct ReferencingByteSourceTests {
  /// Bytes that are all different from those nearby.
  private static func bytes(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
  }

  private let referenced = bytes(9000, from: 40_000)
  private let own = bytes(700)
  private let pieces: [ReferenceTable.Piece] = [
    .own(count: 100), .referenced(offset: 500, count: 3000), .own(count: 1),
    .referenced(offset: 0, count: 1), .referenced(offset: 8000, count: 1000), .own(count: 599),
  ]

  private func table(_ pieces: [ReferenceTable.Piece], content: [UInt8]) -> ReferenceTable {
    ReferenceTable(file: Digest.of(referenced), content: .of(content), pieces: pieces)
  }

  private var whole: [UInt8] {
    let parts = [
      own[..<100], referenced[500..<3500], own[100..<101], referenced[..<1],
      referenced[8000..<9000], own[101...],
    ]
    return Array(parts.joined())
  }

  private var referencedBytes: [UInt8] {
    Array([referenced[500..<3500], referenced[..<1], referenced[8000..<9000]].joined())
  }

  private func source() throws -> any ByteSource {
    let bytes = own + table(pieces, content: referencedBytes).encoded
    return try ReferencingByteSource.whole(MemoryByteSource(bytes)) { digest in
      #expect(digest == Digest.of(referenced))
      return MemoryByteSource(referenced)
    }
  }

  private func read(_ source: any ByteSource, _ offset: Int, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = try bytes.withUnsafeMutableBytes { try source.read(at: Int64(offset), into: $0) }
    return Array(bytes.prefix(read))
  }

  @Test func `the whole file is read across its pieces`() throws {
    let (source, whole) = (try source(), whole)
    #expect(source.size == Int64(whole.count))
    for start in [0, 1, 99, 100, 101, 3099, 3100, 3101, 3102, 4101, 4102, 4700] {
      for count in [0, 1, 2, 1000, 3000, 9000] {
        let end = min(start + count, whole.count)
        #expect(try read(source, start, count) == Array(whole[start..<end]), "\(start) \(count)")
      }
    }
    #expect(try read(source, whole.count, 10) == [])
    #expect(try read(source, -1, 10) == [])
  }

  @Test func `the content of the referenced pieces is computed from the whole file`() throws {
    let file = try ReferencingByteSource(
      MemoryByteSource(own), table(pieces, content: referencedBytes),
      in: MemoryByteSource(referenced))
    #expect(try file.referencedContent() == .of(referencedBytes))
    #expect(try file.referencedContent(in: MemoryByteSource(file)) == .of(referencedBytes))
  }

  @Test func `a file without a table stays as it is`() throws {
    let file = MemoryByteSource(own)
    let source = try ReferencingByteSource.whole(file) { _ in throw ReferenceTable.Malformed() }
    #expect(source as? MemoryByteSource === file)
  }

  @Test(arguments: [(8001, 1000), (9000, 1), (1 << 55, 1)] as [(Int64, Int64)])
  func `a table that refers to bytes after the end is malformed`(
    offset: Int64, count: Int64
  ) throws {
    let pieces = [ReferenceTable.Piece.referenced(offset: offset, count: count)]
    #expect(throws: ReferenceTable.Malformed.self) {
      try ReferencingByteSource(
        MemoryByteSource([]), table(pieces, content: []), in: MemoryByteSource(referenced))
    }
  }

  @Test func `a table that refers to more bytes than the file has is malformed`() {
    let pieces = [ReferenceTable.Piece](repeating: .referenced(offset: 0, count: 4501), count: 2)
    #expect(throws: ReferenceTable.Malformed.self) {
      try ReferencingByteSource(
        MemoryByteSource([]),
        table(pieces, content: Array(referenced[..<4501]) + referenced[..<4501]),
        in: MemoryByteSource(referenced))
    }
  }
}
