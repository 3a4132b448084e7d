import Glibc

/// Lists which bytes of a file are in another file, called the referenced file. A file that ends with a table lacks
/// these bytes, like a QuickTime movie that is not self-contained.
public struct ReferenceTable: Hashable, Sendable {
  /// A part of the whole file.
  public enum Piece: Hashable, Sendable {
    /// The next bytes of the file that ends with the table.
    case own(count: Int64)
    /// A range of bytes of the referenced file.
    case referenced(offset: Int64, count: Int64)

    /// The number of bytes.
    public var count: Int64 {
      switch self {
      case .own(let count), .referenced(_, let count): count
      }
    }
  }

  /// A file with the mark of a table, but without a valid one.
  public struct Malformed: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
  }

  /// The SHA-256 of the referenced file.
  public let file: Digest
  /// The content of the referenced pieces, concatenated.
  public let content: WrittenContent
  /// The pieces of the whole file, in order.
  public let pieces: [Piece]

  /// Creates a table.
  public init(file: Digest, content: WrittenContent, pieces: [Piece]) {
    self.file = file
    self.content = content
    self.pieces = pieces
  }
}

// MARK: Bytes

extension ReferenceTable {
  private static let mark = Array("sheaf-references".utf8)
  /// The length of an encoded piece: its offset in the referenced file, or -1 if it is not there, and its count.
  private static let pieceSize = 16
  /// The length of the end after the pieces: the SHA-256 of the referenced file, the length and content of the pieces
  /// that are in it, the number of all pieces, and the mark.
  private static let endSize = Digest.byteCount + 8 + Digest.byteCount + 8 + mark.count
  /// The maximum length of a whole file, and of the offsets in the referenced one. Copied segments have up to about
  /// 3 GiB.
  private static let (largestFile, largestOffset) = (Int64(1) << 34, Int64(1) << 56)

  /// The table as bytes. Numbers have 64 bits and are big-endian.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(pieces.count * Self.pieceSize + Self.endSize)
    func add(_ number: Int64) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }
    for piece in pieces {
      switch piece {
      case .own: add(-1)
      case .referenced(let offset, _): add(offset)
      }
      add(piece.count)
    }
    bytes += file.bytes
    add(content.byteCount)
    bytes += content.blocks.bytes
    add(Int64(pieces.count))
    return bytes + Self.mark
  }

  /// Reads the table at the end of a file.
  ///
  /// - Parameters:
  ///   - size: the file's length in bytes.
  ///   - read: returns bytes of the file.
  /// - Returns: `nil` if the file ends without a table.
  /// - Throws: ``Malformed``, or an error from `read`.
  public static func atEnd(
    ofSize size: Int64, read: (_ offset: Int64, _ count: Int) throws -> [UInt8]
  ) throws -> ReferenceTable? {
    guard size >= Int64(endSize) else { return nil }
    guard let end = End(try read(size - Int64(endSize), endSize)) else { return nil }
    let rest = size - Int64(endSize)
    guard (0...rest / Int64(pieceSize)).contains(end.pieceCount) else { throw Malformed() }
    let tableSize = Int(end.pieceCount) * pieceSize
    let table = try read(rest - Int64(tableSize), tableSize)
    guard table.count == tableSize else { throw Malformed() }
    var (pieces, own, referenced): ([Piece], Int64, Int64) = ([], 0, 0)
    for start in stride(from: 0, to: table.count, by: pieceSize) {
      let offset = number(table[start..<start + 8])
      let count = number(table[start + 8..<start + 16])
      guard offset >= -1, offset <= largestOffset, count > 0,
        count <= largestFile - own - referenced
      else { throw Malformed() }
      if offset < 0 { own += count } else { referenced += count }
      pieces.append(offset < 0 ? .own(count: count) : .referenced(offset: offset, count: count))
    }
    guard own == rest - Int64(tableSize), end.content.byteCount == referenced else {
      throw Malformed()
    }
    return ReferenceTable(file: end.file, content: end.content, pieces: pieces)
  }

  /// The file that a file with a table refers to, and the number of bytes that come from there.
  public struct Target: Hashable, Sendable {
    /// The SHA-256 of the referenced file.
    public let file: Digest
    /// The number of bytes of the whole file that are in it, as the table states.
    public let byteCount: Int64

    /// Reads the end of the file at `path`. Blocks briefly.
    ///
    /// - Returns: `nil` if it ends without a table.
    /// - Throws: ``FileReadError`` if the file cannot be opened or read.
    public init?(ofFile path: String) throws(FileReadError) {
      let descriptor = open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw FileReadError(path: path, number: errno) }
      defer { close(descriptor) }
      let size = lseek(descriptor, 0, SEEK_END)
      guard size >= endSize else { return nil }
      var bytes = [UInt8](repeating: 0, count: endSize)
      let count = pread(descriptor, &bytes, endSize, size - endSize)
      guard count >= 0 else { throw FileReadError(path: path, number: errno) }
      guard count == endSize, let end = End(bytes) else { return nil }
      file = end.file
      byteCount = min(max(end.content.byteCount, 0), largestFile)
    }
  }

  /// The end of a table, after its pieces.
  private struct End {
    let file: Digest
    let content: WrittenContent
    let pieceCount: Int64

    /// Returns `nil` if the bytes do not end with the mark.
    init?(_ bytes: [UInt8]) {
      guard bytes.count == endSize, bytes.suffix(mark.count).elementsEqual(mark),
        let file = Digest(bytes: Array(bytes[..<32])),
        let blocks = Digest(bytes: Array(bytes[40..<72]))
      else { return nil }
      self.file = file
      content = WrittenContent(byteCount: number(bytes[32..<40]), blocks: blocks)
      pieceCount = number(bytes[72..<80])
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
    Int64(truncatingIfNeeded: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
