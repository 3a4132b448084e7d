/// Finds the encrypted tracks of a Matroska or WebM file (RFC 9559, 5.1.4). libav 5.1 ignores most encryption.
struct MatroskaTracks {
  /// Element ids.
  private enum ID {
    static let segment: UInt32 = 0x1853_8067
    static let tracks: UInt32 = 0x1654_AE6B
    static let track: UInt32 = 0xAE
    static let trackType: UInt32 = 0x83
    static let codec: UInt32 = 0x86
    static let encodings: UInt32 = 0x6D80
    static let encoding: UInt32 = 0x6240
    static let encodingType: UInt32 = 0x5033
    static let encryption: UInt32 = 0x5035
  }

  /// The first letters of the codecs of each type of track for which libav makes a stream: video, audio, subtitles and
  /// metadata (`matroska_parse_tracks`).
  private static let codecLetters: [UInt64: String] = [1: "V", 2: "A", 0x11: "DS", 0x21: "DS"]

  private let reader: ElementReader
  /// The stream indexes of encrypted tracks.
  private(set) var encrypted: [Int] = []

  /// Reads the tracks.
  init(of source: any ByteSource, named name: String) throws(MediaError) {
    reader = ElementReader(source, named: name)
    guard let segment = try reader.first(ID.segment, in: 0..<source.size),
      let tracks = try reader.first(ID.tracks, in: segment.payload)
    else { return }
    var stream = 0
    for track in try reader.elements(in: tracks.payload) where track.id == ID.track {
      guard try isStream(track) else { continue }
      if try isEncrypted(track) { encrypted.append(stream) }
      stream += 1
    }
  }

  /// Whether libav makes a stream for a track. It skips tracks of other types, without a codec, or with a codec that
  /// does not fit the type. If an element occurs several times, libav uses the last one.
  private func isStream(_ track: ElementReader.Element) throws(MediaError) -> Bool {
    let elements = try reader.elements(in: track.payload)
    guard let type = elements.last(where: { $0.id == ID.trackType }),
      let codec = elements.last(where: { $0.id == ID.codec }),
      let letters = Self.codecLetters[try reader.number(of: type)],
      let first = try reader.bytes(of: codec, upTo: 1).first
    else { return false }
    return letters.utf8.contains(first)
  }

  private func isEncrypted(_ track: ElementReader.Element) throws(MediaError) -> Bool {
    guard let encodings = try reader.first(ID.encodings, in: track.payload) else { return false }
    for encoding in try reader.elements(in: encodings.payload) where encoding.id == ID.encoding {
      if try reader.first(ID.encryption, in: encoding.payload) != nil { return true }
      if let type = try reader.first(ID.encodingType, in: encoding.payload),
        try reader.number(of: type) == 1
      {
        return true
      }
    }
    return false
  }
}
