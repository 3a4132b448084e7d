import Media

/// Counts the entries in the edit lists of QuickTime and MP4 files (ISO 14496-12, 8.6.6) before libav reads them,
/// because libav's time grows with the product of entries and samples.
struct EditLists {
  /// The length of the shortest entry, in bytes.
  private static let entryLength: Int64 = 12
  /// The maximum number of sibling boxes that are read.
  private static let boxLimit = 4096

  private let source: any ByteSource

  init(_ source: any ByteSource) { self.source = source }

  /// The number of entries in the file's longest edit list; 0 for files of other kinds.
  func longest() throws -> Int {
    var lists = [0..<source.size]
    for type in ["moov", "trak", "edts", "elst"] {
      lists = try lists.flatMap { try boxes(type, in: $0) }
    }
    return try lists.reduce(0) { longest, list in
      let head = try bytes(at: list.lowerBound, count: 8)
      guard head.count == 8 else { return longest }
      let possible = (list.upperBound - list.lowerBound - 8) / Self.entryLength
      return max(longest, Int(min(Self.number(head[4...]), possible)))
    }
  }

  /// The contents of the boxes of a type within a range.
  private func boxes(_ type: String, in range: Range<Int64>) throws -> [Range<Int64>] {
    var found: [Range<Int64>] = []
    var offset = range.lowerBound
    for _ in 0..<Self.boxLimit where offset + 8 <= range.upperBound {
      let head = try bytes(at: offset, count: 16)
      guard head.count >= 8 else { break }
      var length = Self.number(head[..<4])
      var start = offset + 8
      if length == 1, head.count == 16 {
        length = Self.number(head[8...])
        start += 8
      } else if length == 0 {
        length = range.upperBound - offset
      }
      guard length >= start - offset else { break }
      // A truncated box may contain a list, too.
      let end = length > range.upperBound - offset ? range.upperBound : offset + length
      if head[4..<8].elementsEqual(type.utf8) { found.append(min(start, end)..<end) }
      offset = end
    }
    return found
  }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
  }

  private func bytes(at offset: Int64, count: Int) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try buffer.withUnsafeMutableBytes {
        try source.read(
          at: offset + Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(buffer[..<filled])
  }
}
