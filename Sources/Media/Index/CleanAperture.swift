import Timeline

/// Reads the clean aperture (`clap`) of a video track from a QuickTime or MP4 file, which libav 5.1 passes over.
enum CleanAperture {
  /// A box's payload by place in the file.
  private struct Box {
    var type: String
    var payload: Range<Int64>
  }

  /// The clean aperture of a track in coded pixels, `nil` where there is none.
  static func read(
    from source: any ByteSource, format: String, stream: Int, size: PixelSize
  ) throws -> PixelRect? {
    guard format.hasPrefix("mov,"),
      let movie = try boxes(in: 0..<source.size, of: source).first(where: { $0.type == "moov" })
    else { return nil }
    // libav makes one stream of each track, in order.
    let tracks = try boxes(in: movie.payload, of: source).filter { $0.type == "trak" }
    guard stream < tracks.count else { return nil }
    var box = tracks[stream]
    for type in ["mdia", "minf", "stbl", "stsd"] {
      guard let inner = try boxes(in: box.payload, of: source).first(where: { $0.type == type })
      else { return nil }
      box = inner
    }
    // ISO 14496-12, 8.5.2 and 12.1.3: version, flags and count, then entries of 78 bytes and more boxes.
    let entries = box.payload.dropping(8)
    guard let entry = try boxes(in: entries, of: source).first,
      let clap = try boxes(in: entry.payload.dropping(78), of: source)
        .first(where: { $0.type == "clap" })
    else { return nil }
    return rectangle(try bytes(at: clap.payload.lowerBound, count: 32, of: source), size: size)
  }

  /// ISO 14496-12, 12.1.4: width, height, horizontal and vertical offset of the centre, each a fraction.
  private static func rectangle(_ bytes: [UInt8], size: PixelSize) -> PixelRect? {
    guard bytes.count == 32 else { return nil }
    let numbers = stride(from: 0, to: 32, by: 4).map { start in
      Int32(bitPattern: bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    guard stride(from: 1, to: 8, by: 2).allSatisfy({ numbers[$0] != 0 }) else { return nil }
    let values = stride(from: 0, to: 8, by: 2).map { Double(numbers[$0]) / Double(numbers[$0 + 1]) }
    let (width, height) = (values[0], values[1])
    guard width > 0, height > 0, width <= Double(size.width), height <= Double(size.height) else {
      return nil
    }
    return PixelRect(
      x: (Double(size.width) - width) / 2 + values[2],
      y: (Double(size.height) - height) / 2 + values[3], width: width, height: height)
  }

  /// The boxes one after the other in a range; what does not fit is left out.
  private static func boxes(in range: Range<Int64>, of source: any ByteSource) throws -> [Box] {
    var boxes: [Box] = []
    var offset = range.lowerBound
    while offset + 8 <= range.upperBound, boxes.count < 4096 {
      let header = try bytes(at: offset, count: 16, of: source)
      guard header.count >= 8 else { break }
      var length = header[0..<4].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      var start = offset + 8
      if length == 1, header.count == 16 {
        length = header[8..<16].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        start += 8
      } else if length == 0 {
        length = range.upperBound - offset
      }
      guard length >= start - offset, length <= range.upperBound - offset else { break }
      let type = String(decoding: header[4..<8], as: UTF8.self)
      boxes.append(Box(type: type, payload: start..<offset + length))
      offset += length
    }
    return boxes
  }

  private static func bytes(
    at offset: Int64, count: Int, of source: any ByteSource
  ) throws -> [UInt8] {
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
    return Array(buffer.prefix(filled))
  }
}

extension Range<Int64> {
  /// The range without its first bytes; empty where there are fewer.
  fileprivate func dropping(_ count: Int64) -> Range<Int64> {
    Swift.min(lowerBound + count, upperBound)..<upperBound
  }
}
