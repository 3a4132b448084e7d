/// A PNG file without its unused chunks (see ``PNGChunks``), and without whatever follows its end.
///
/// The chunks are presented as a private type, which decoders skip.
final class PNGSource: ByteSource {
  private let source: any ByteSource
  /// The offsets of the hidden chunks' types, in order.
  private let hidden: [Int64]

  /// The length up to the end of the image.
  let size: Int64

  private static let end = Array("IEND".utf8)
  private static let unknown = Array(PNGChunks.hiddenType.utf8)

  /// Whether a source begins with a PNG image.
  static func isRecognized(_ source: any ByteSource) throws -> Bool {
    try bytes(of: source, at: 0, count: PNGChunks.signature.count) == PNGChunks.signature
  }

  /// Scans a PNG file. Returns `nil` if the source holds something else.
  ///
  /// - Throws: ``MediaError`` if it has more than ``PNGChunks/limit`` chunks, or an error from reading.
  init?(_ source: any ByteSource, named name: String) throws {
    guard try Self.isRecognized(source) else { return nil }
    self.source = source
    var hidden: [Int64] = []
    var count = 0
    var offset = Int64(PNGChunks.signature.count)
    var isAtEnd = false
    // A chunk: its length, its type, its bytes, and a checksum.
    while offset < source.size, !isAtEnd {
      let head = try Self.bytes(of: source, at: offset, count: 8)
      guard head.count == 8 else { break }
      count += 1
      guard count <= PNGChunks.limit else { throw PNGChunks.tooMany(in: name) }
      let type = Array(head[4...])
      if PNGChunks.unused.contains(type) { hidden.append(offset + 4) }
      isAtEnd = type == Self.end
      let length = head[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      offset += 12 + length
    }
    self.hidden = hidden
    size = isAtEnd ? min(offset, source.size) : source.size
  }

  private static func bytes(of source: any ByteSource, at offset: Int64, count: Int) throws
    -> [UInt8]
  {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let read = try bytes.withUnsafeMutableBytes {
        try source.read(
          at: offset + Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...]))
      }
      guard read > 0 else { break }
      filled += read
    }
    return Array(bytes[..<filled])
  }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let rest = Int(clamping: max(size - offset, 0))
    guard rest > 0 else { return 0 }
    let wanted = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(rest))
    let count = try source.read(at: offset, into: wanted)
    guard count > 0, !hidden.isEmpty else { return count }
    let end = offset + Int64(count)
    for start in hidden where start < end && start + 4 > offset {
      for (index, byte) in Self.unknown.enumerated() {
        let place = start + Int64(index) - offset
        if place >= 0, place < Int64(count) { buffer[Int(place)] = byte }
      }
    }
    return count
  }
}
