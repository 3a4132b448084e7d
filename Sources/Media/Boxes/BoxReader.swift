/// Reads the boxes (atoms) of a QuickTime or MP4 file (ISO/IEC 14496-12, 4.2), for details that libav 5.1 does not
/// report.
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

  /// The most boxes that may follow one another.
  private static let limit = 1 << 17

  /// The consecutive boxes in a range, up to the first that does not fit.
  func boxes(in range: Range<Int64>) throws(MediaError) -> [Box] {
    var boxes: [Box] = []
    _ = try scan(range) { box in
      boxes.append(box)
      return true
    }
    return boxes
  }

  /// The first box of a type in a range; `nil` if none fits.
  func first(_ type: String, in range: Range<Int64>) throws(MediaError) -> Box? {
    var found: Box?
    _ = try scan(range) { box in
      if box.type == type { found = box }
      return found == nil
    }
    return found
  }

  /// The boxes that a QuickTime or MP4 file may start with.
  private static let leading: Set = ["ftyp", "moov", "mdat", "wide", "free", "skip", "pnot"]

  /// Whether the file starts like QuickTime or MP4.
  func isMovie() throws(MediaError) -> Bool {
    let start = try bytes(at: 4, count: 4)
    return Self.leading.contains(String(decoding: start, as: UTF8.self))
  }

  /// Whether the file begins like QuickTime or MP4, and has no index, or one of its boxes runs past its end.
  func isCutShort() throws(MediaError) -> Bool {
    guard try isMovie() else { return false }
    var hasIndex = false
    let isCut = try scan(0..<source.size) { box in
      if box.type == "moov" { hasIndex = true }
      return true
    }
    return isCut || !hasIndex
  }

  /// Up to `count` bytes at `offset`; fewer if the file ends.
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
      throw MediaError.reading(error, named: name)
    }
    return Array(buffer.prefix(filled))
  }

  /// Passes the boxes that fit to `visit` until that returns false. Returns whether a box runs past the range's end.
  ///
  /// - Throws: ``MediaError`` if there are more than ``limit`` boxes, so that nothing can hide behind empty ones.
  private func scan(
    _ range: Range<Int64>, _ visit: (Box) -> Bool
  ) throws(MediaError) -> Bool {
    var (offset, count) = (range.lowerBound, 0)
    while offset + 8 <= range.upperBound {
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
      guard length <= range.upperBound - offset else { return true }
      count += 1
      guard count <= Self.limit else {
        throw MediaError(
          .damaged, "the file has more than \(Self.limit) boxes at one level", on: name,
          remedy: "remux it, e.g. with ffmpeg -c copy")
      }
      let box = Box(type: type, typeOffset: offset + 4, payload: start..<offset + length)
      guard visit(box) else { return false }
      offset += length
    }
    return false
  }
}
