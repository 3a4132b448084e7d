/// The sample entries of the tracks of a QuickTime or MP4 file (ISO/IEC 14496-12, 8.5.2).
struct SampleEntries {
  private let reader: BoxReader
  /// The entries of each track, in file order. libav makes one stream per track, in the same order.
  let tracks: [[BoxReader.Box]]

  /// Reads the entries. They are empty if the file is of another kind.
  init(of source: any ByteSource, named name: String) throws(MediaError) {
    reader = BoxReader(source: source, name: name)
    guard try reader.isMovie(),
      let movie = try reader.first("moov", in: 0..<source.size)
    else {
      tracks = []
      return
    }
    var tracks: [[BoxReader.Box]] = []
    for track in try reader.boxes(in: movie.payload) where track.type == "trak" {
      tracks.append(try Self.entries(of: track, reader))
    }
    self.tracks = tracks
  }

  private static func entries(
    of track: BoxReader.Box, _ reader: BoxReader
  ) throws(MediaError) -> [BoxReader.Box] {
    var box = track
    for type in ["mdia", "minf", "stbl", "stsd"] {
      guard let inner = try reader.first(type, in: box.payload) else { return [] }
      box = inner
    }
    // Version, flags and count come first.
    return try reader.boxes(in: box.payload.dropping(8))
  }

  /// The boxes inside a video entry.
  func boxes(inVideo entry: BoxReader.Box) throws(MediaError) -> [BoxReader.Box] {
    try reader.boxes(in: entry.payload.dropping(78))
  }

  /// The boxes inside an MP4 audio entry.
  func boxes(inSound entry: BoxReader.Box) throws(MediaError) -> [BoxReader.Box] {
    try reader.boxes(in: entry.payload.dropping(28))
  }

  /// The first bytes of a box, at most `count`.
  func bytes(of box: BoxReader.Box, count: Int) throws(MediaError) -> [UInt8] {
    try reader.bytes(at: box.payload.lowerBound, count: min(count, box.payload.count))
  }
}

extension Range<Int64> {
  /// The range without its first bytes; empty if there are fewer.
  func dropping(_ count: Int64) -> Range<Int64> {
    Swift.min(lowerBound + count, upperBound)..<upperBound
  }
}
