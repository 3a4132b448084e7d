import Crypto
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct ReferenceTableTests {
  private static let referenced = Digest.of(Array("the referenced file".utf8))
  private static let own = Array("own bytes".utf8)
  private static let table = ReferenceTable(
    file: referenced, content: .of("0123456789".utf8),
    pieces: [
      .own(count: 4), .referenced(offset: 70, count: 6), .own(count: 5),
      .referenced(offset: 0, count: 4),
    ])

  private func read(_ bytes: [UInt8]) throws -> ReferenceTable? {
    try ReferenceTable.atEnd(ofSize: Int64(bytes.count)) { offset, count in
      Array(bytes[Int(offset)..<Int(offset) + count])
    }
  }

  @Test func `a table is read as it was written`() throws {
    #expect(try read(Self.own + Self.table.encoded) == Self.table)
  }

  @Test(arguments: [0, 1, 95, 96, 5000])
  func `a file without the mark has no table`(count: Int) throws {
    #expect(try read([UInt8](repeating: 7, count: count)) == nil)
  }

  @Test func `the referenced file is found by reading only the end`() throws {
    let folder = try TemporaryDirectory()
    for (name, bytes, digest) in [
      ("with", Self.own + Self.table.encoded, Self.referenced), ("without", Self.own, nil),
      ("longer", [UInt8](repeating: 0, count: 1000), nil), ("empty", [], nil),
    ] {
      try Data(bytes).write(to: URL(fileURLWithPath: folder.path(name)))
      let target = try ReferenceTable.Target(ofFile: folder.path(name))
      #expect(target?.file == digest)
      #expect(target?.byteCount == digest.map { _ in 10 })
    }
    #expect(throws: FileReadError.self) {
      try ReferenceTable.Target(ofFile: folder.path("missing"))
    }
  }

  /// The bytes of a table with a number replaced, counted from the table's start or its end.
  private func changed(_ place: Int, to number: Int64) -> [UInt8] {
    var bytes = Self.table.encoded
    let start = place < 0 ? bytes.count + place : place
    bytes.replaceSubrange(
      start..<start + 8, with: withUnsafeBytes(of: number.bigEndian, Array.init))
    return Self.own + bytes
  }

  @Test(
    arguments: [
      // The first piece's length, so that the own bytes are more or fewer than the file has; also numbers that overflow.
      (8, 5), (8, 3), (8, 0), (8, -1), (8, .max), (8, .min),
      // The second piece's offset and length.
      (16, -2), (16, .min), (16, .max), (24, 0), (24, 7), (24, -6), (24, 1 << 34), (24, .max),
      // The number of pieces, and the length of what they refer to.
      (-24, 3), (-24, 5), (-24, -1), (-24, .max), (-64, 9), (-64, -1),
    ] as [(Int, Int64)])
  func `a table whose numbers do not fit together is malformed`(
    place: Int, number: Int64
  ) throws {
    #expect(throws: ReferenceTable.Malformed.self) { try read(changed(place, to: number)) }
  }

  @Test func `a table that does not fit into the file is malformed`() throws {
    let bytes = Self.table.encoded
    for count in [96, 97, 110, bytes.count - 1] {
      #expect(throws: ReferenceTable.Malformed.self) { try read(Array(bytes.suffix(count))) }
    }
  }
}
