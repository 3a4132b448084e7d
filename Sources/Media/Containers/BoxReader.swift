/// Reads the boxes (atoms) of a QuickTime or MP4 file, ISO 14496-12, 4.2, for what libav 5.1 does not tell.
struct BoxReader {
  /// A box by type and place in the file.
  struct Box {
    var type: String
    /// The offset of its type in the file.
    var typeOffset: Int64
    var payload: Range<Int64>
  }

  let source: any ByteSource
  let name: String

  /// The boxes one after the other in a range, as far as they fit.
  func boxes(in range: Range<Int64>) throws(MediaError) -> [Box] {
    try scan(range).boxes
  }

  /// The boxes that a QuickTime or MP4 file may start with.
  private static let leading: Set = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

  /// Whether the file starts like QuickTime or MP4.
  func isMovie() throws(MediaError) -> Bool {
    let start = try bytes(at: 4, count: 4)
    return Self.leading.contains(String(decoding: start, as: UTF8.self))
  }

  /// Whether the file begins like QuickTime or MP4, and one of its boxes runs past its end.
  func isCutShort() throws(MediaError) -> Bool {
    guard try isMovie() else { return false }
    return try scan(0..<source.size).overrun != nil
  }

  /// Up to `count` bytes at `offset`; fewer where the file ends.
  func bytes(at offset: Int64, count: Int) throws(MediaError) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: count)
    var filled = 0
    do {
      while filled < count {
        let read = try buffer.withUnsafeMutableBytes {
          try source.read(
            at: offset + Int64(filled), into: UnsafeMutableRawBufferPointer(rebasing: $0[filled...])
          )
        }
        guard read > 0 else { break }
        filled += read
      }
    } catch {
      throw Demuxer.readFailure(error, named: name)
    }
    return Array(buffer.prefix(filled))
  }

  /// The boxes that fit, and the type of the one that runs past the range's end, if any.
  private func scan(_ range: Range<Int64>) throws(MediaError) -> (boxes: [Box], overrun: String?) {
    var boxes: [Box] = []
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, boxes.count < 4096 {
      let header = try bytes(at: offset, count: 16)
      guard header.count >= 8 else { break }
      var length = header[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      var start = offset + 8
      if length == 1, header.count == 16 {
        length = header[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        start += 8
      } else if length == 0 {
        length = range.upperBound - offset
      }
      let type = String(decoding: header[4..<8], as: UTF8.self)
      guard length >= start - offset else { break }
      guard length <= range.upperBound - offset else { return (boxes, type) }
      boxes.append(Box(type: type, typeOffset: offset + 4, payload: start..<offset + length))
      offset += length
    }
    return (boxes, nil)
  }
}
