/// A PNG file without its compressed text and colour profiles.
///
/// A few kilobytes of `zTXt`, `iTXt` or `iCCP` may inflate to gigabytes, libav's decoder inflates them entirely, and
/// Sheaf does not use them. Their chunks are presented as a private type, which decoders skip.
final class PNGSource: ByteSource {
  private let source: any ByteSource
  /// The offsets of the hidden chunks' types, in order.
  private let hidden: [Int64]

  var size: Int64 { source.size }

  /// The most chunks that a file may have.
  static let chunkLimit = 100_000

  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  private static let compressed = Set(["zTXt", "iTXt", "iCCP"].map { Array($0.utf8) })
  /// An ancillary, private, safe-to-copy chunk type that decoders do not know and skip.
  private static let unknown = Array("prVt".utf8)

  /// Scans a PNG file. Returns `nil` if the source holds something else.
  ///
  /// - Throws: ``MediaError`` if it has more than ``chunkLimit`` chunks, or an error from reading.
  init?(_ source: any ByteSource, named name: String) throws {
    guard try Self.bytes(of: source, at: 0, count: 8) == Self.signature else { return nil }
    self.source = source
    var hidden: [Int64] = []
    var count = 0
    var offset: Int64 = 8
    // A chunk: its length, its type, its bytes, and a checksum.
    while offset < source.size {
      let head = try Self.bytes(of: source, at: offset, count: 8)
      guard head.count == 8 else { break }
      count += 1
      guard count <= Self.chunkLimit else {
        throw MediaError(
          .damaged, "the PNG file has more than \(Self.chunkLimit) chunks", on: name,
          remedy: "save it again with an image editor")
      }
      if Self.compressed.contains(Array(head[4...])) { hidden.append(offset + 4) }
      let length = head[..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      offset += 12 + length
    }
    self.hidden = hidden
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
    let count = try source.read(at: offset, into: buffer)
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
