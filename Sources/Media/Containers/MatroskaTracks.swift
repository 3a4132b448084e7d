/// The tracks of a Matroska or WebM file (RFC 9559, 5.1.4), for their encryption, which libav 5.1 mostly ignores.
struct MatroskaTracks {
  /// An element by id and place in the file.
  private struct Element {
    var id: UInt32
    var payload: Range<Int64>
  }

  /// Element ids.
  private enum ID {
    static let segment: UInt32 = 0x1853_8067
    static let tracks: UInt32 = 0x1654_AE6B
    static let track: UInt32 = 0xAE
    static let trackType: UInt32 = 0x83
    static let encodings: UInt32 = 0x6D80
    static let encoding: UInt32 = 0x6240
    static let encodingType: UInt32 = 0x5033
    static let encryption: UInt32 = 0x5035
  }

  /// The types of track that libav makes streams of: video, audio, subtitles and metadata.
  private static let streamTypes: Set<UInt64> = [1, 2, 0x11, 0x21]
  /// The most elements that are read in a row.
  private static let limit = 1 << 20

  private let reader: BoxReader
  /// The stream indexes of encrypted tracks.
  private(set) var encrypted: [Int] = []

  /// Reads the tracks.
  init(of source: any ByteSource, named name: String) throws(MediaError) {
    reader = BoxReader(source: source, name: name)
    guard let segment = try first(ID.segment, in: 0..<source.size),
      let tracks = try first(ID.tracks, in: segment.payload)
    else { return }
    var stream = 0
    for track in try elements(in: tracks.payload) where track.id == ID.track {
      guard let type = try first(ID.trackType, in: track.payload),
        Self.streamTypes.contains(try number(of: type))
      else { continue }
      if try isEncrypted(track) { encrypted.append(stream) }
      stream += 1
    }
  }

  private func isEncrypted(_ track: Element) throws(MediaError) -> Bool {
    guard let encodings = try first(ID.encodings, in: track.payload) else { return false }
    for encoding in try elements(in: encodings.payload) where encoding.id == ID.encoding {
      if try first(ID.encryption, in: encoding.payload) != nil { return true }
      if let type = try first(ID.encodingType, in: encoding.payload), try number(of: type) == 1 {
        return true
      }
    }
    return false
  }

  private func elements(in range: Range<Int64>) throws(MediaError) -> [Element] {
    var elements: [Element] = []
    try scan(range) { element in
      elements.append(element)
      return true
    }
    return elements
  }

  private func first(_ id: UInt32, in range: Range<Int64>) throws(MediaError) -> Element? {
    var found: Element?
    try scan(range) { element in
      if element.id == id { found = element }
      return found == nil
    }
    return found
  }

  /// Passes the elements in a range to `visit` until that returns false, or until one has no length that is known.
  private func scan(_ range: Range<Int64>, _ visit: (Element) -> Bool) throws(MediaError) {
    var (offset, count) = (range.lowerBound, 0)
    while offset < range.upperBound {
      count += 1
      guard count <= Self.limit else {
        throw MediaError(
          .damaged, "the file has more than \(Self.limit) elements in a row", on: reader.name,
          remedy: "remultiplex it, e.g. with ffmpeg -c copy")
      }
      // An id has at most 4 bytes, a length 8 (RFC 8794, 4).
      let head = try reader.bytes(at: offset, count: Int(min(12, range.upperBound - offset)))
      guard let first = head.first, first >= 0x10 else { return }
      let idLength = first.leadingZeroBitCount + 1
      guard head.count > idLength, head[idLength] > 0 else { return }
      let lengthLength = head[idLength].leadingZeroBitCount + 1
      guard head.count >= idLength + lengthLength else { return }
      let id = head[..<idLength].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      let bits = head[idLength..<idLength + lengthLength].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let unknown = UInt64(1) << (7 * lengthLength) - 1
      let length = bits & unknown
      let start = offset + Int64(idLength + lengthLength)
      guard start <= range.upperBound else { return }
      let rest = range.upperBound - start
      let isUnknown = length == unknown
      let end = isUnknown || length > UInt64(rest) ? range.upperBound : start + Int64(length)
      guard visit(Element(id: id, payload: start..<end)) else { return }
      offset = end
    }
  }

  private func number(of element: Element) throws(MediaError) -> UInt64 {
    try reader.bytes(
      at: element.payload.lowerBound, count: min(element.payload.count, 8)
    ).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
