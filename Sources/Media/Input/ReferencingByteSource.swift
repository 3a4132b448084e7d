import Crypto

/// The whole bytes of a file that refers to another file for some of them.
public struct ReferencingByteSource: ByteSource {
  /// The length of the whole file in bytes.
  public let size: Int64
  private let own: any ByteSource
  private let referenced: any ByteSource
  private let parts: [Part]

  /// A piece of the whole file, where it begins there, and where its bytes are.
  private struct Part {
    let start: Int64
    let count: Int64
    let isOwn: Bool
    let offset: Int64
  }

  /// Returns the whole bytes of a file; `file` itself if it refers to no other file.
  ///
  /// - Parameter open: opens the referenced file with a SHA-256.
  /// - Throws: `ReferenceTable.Malformed`, or an error of either file.
  public static func whole(
    _ file: any ByteSource, opening open: (Digest) throws -> any ByteSource
  ) throws -> any ByteSource {
    guard let table = try file.references else { return file }
    return try ReferencingByteSource(file, table, in: open(table.file))
  }

  /// Opens no referenced file, for files that refer to none.
  ///
  /// - Throws: `ReferenceTable.Malformed`.
  public static func noFile(_ digest: Digest) throws -> any ByteSource {
    throw ReferenceTable.Malformed()
  }

  /// Creates a source of a file's own bytes and a referenced file.
  ///
  /// - Throws: `ReferenceTable.Malformed` if the table refers to bytes after the referenced file's end, or to more bytes
  ///   than the file has.
  public init(_ own: any ByteSource, _ table: ReferenceTable, in referenced: any ByteSource) throws
  {
    guard table.content.byteCount <= referenced.size else { throw ReferenceTable.Malformed() }
    self.own = own
    self.referenced = referenced
    var (parts, size, ownCount): ([Part], Int64, Int64) = ([], 0, 0)
    parts.reserveCapacity(table.pieces.count)
    for piece in table.pieces {
      switch piece {
      case .own(let count):
        parts.append(Part(start: size, count: count, isOwn: true, offset: ownCount))
        ownCount += count
      case .referenced(let offset, let count):
        guard offset <= referenced.size - count else { throw ReferenceTable.Malformed() }
        parts.append(Part(start: size, count: count, isOwn: false, offset: offset))
      }
      size += piece.count
    }
    (self.parts, self.size) = (parts, size)
  }

  /// Reads at `offset`. The count is short at the end, or if a file has become shorter.
  public func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset >= 0, offset < size else { return 0 }
    var done = 0
    var index = part(at: offset)
    while done < buffer.count, index < parts.count {
      let part = parts[index]
      let skipped = offset + Int64(done) - part.start
      let count = Int(min(part.count - skipped, Int64(buffer.count - done)))
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done..<done + count])
      let source = part.isOwn ? own : referenced
      let read = try source.fill(rest, from: part.offset + skipped)
      done += read
      guard read == count else { break }
      index += 1
    }
    return done
  }

  /// The index of the part with the byte at an offset.
  private func part(at offset: Int64) -> Int {
    var (low, high) = (0, parts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if parts[middle].start <= offset { low = middle } else { high = middle }
    }
    return low
  }

  /// The content of the referenced pieces, concatenated.
  ///
  /// - Throws: an error from reading.
  public func referencedContent() throws -> WrittenContent {
    var blocks = WrittenBlocks()
    var bytes = [UInt8](repeating: 0, count: Self.pieceSize)
    for part in parts where !part.isOwn {
      for start in stride(from: part.start, to: part.start + part.count, by: bytes.count) {
        let count = Int(min(part.start + part.count - start, Int64(bytes.count)))
        try bytes.withUnsafeMutableBytes { buffer in
          let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
          let read = try fill(wanted, from: start)
          blocks.append(UnsafeRawBufferPointer(rebasing: wanted[..<read]))
        }
      }
    }
    return blocks.content
  }

  /// The content of the referenced pieces, concatenated, according to a copy of the whole file.
  public func referencedContent(in whole: MemoryByteSource) -> WrittenContent {
    var blocks = WrittenBlocks()
    whole.withUnsafeBytes { bytes in
      for part in parts where !part.isOwn {
        let range = Int(part.start)..<Int(part.start + part.count)
        blocks.append(UnsafeRawBufferPointer(rebasing: bytes[range.clamped(to: 0..<bytes.count)]))
      }
    }
    return blocks.content
  }

  private static let pieceSize = 1 << 18
}

extension ByteSource {
  /// The table at the end of the file; `nil` if it has none.
  ///
  /// - Throws: `ReferenceTable.Malformed`, or an error from reading.
  public var references: ReferenceTable? {
    get throws {
      try ReferenceTable.atEnd(ofSize: size) { offset, count in
        try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
          filled = try fill(UnsafeMutableRawBufferPointer(buffer), from: offset)
        }
      }
    }
  }
}
