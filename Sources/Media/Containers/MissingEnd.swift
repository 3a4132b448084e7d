import CFFmpeg
import Timeline

/// The end of a Matroska, WebM or AVI file that was cut short. libav reads such a file up to the cut and reports an
/// ordinary end.
struct MissingEnd {
  /// Whether the cut is certain to be within the packets, not within an index or tags behind them.
  let isWithinPackets: Bool
  /// The times at which streams end according to the file, in seconds, by stream index.
  let statedEnds: [Int: RationalTime]

  /// The missing end of a file; `nil` if the file is complete, does not state its size, or has another format.
  static func read(from source: any ByteSource, of demuxer: Demuxer) throws(MediaError)
    -> MissingEnd?
  {
    switch demuxer.format {
    case "matroska,webm": return try matroska(source, demuxer)
    case "avi": return try interleaved(source, demuxer)
    default: return nil
    }
  }

  /// Whether packets are missing from streams that end at the given times, in seconds.
  ///
  /// If the file may have ended behind its packets, they count as complete up to half a second before the stated end,
  /// which is often an estimate.
  func isMissingPackets(after ends: [RationalTime]) -> Bool {
    guard !isWithinPackets else { return true }
    guard let last = ends.max(), let stated = statedEnds.values.max(),
      let half = try? RationalTime(1, 2), let reached = try? last + half
    else { return false }
    return reached < stated
  }

  // MARK: Matroska

  /// Element ids (RFC 9559, 5.1).
  private enum ID {
    static let segment: UInt32 = 0x1853_8067
    static let information: UInt32 = 0x1549_A966
    static let timestampScale: UInt32 = 0x2A_D7B1
    static let duration: UInt32 = 0x4489
    static let cluster: UInt32 = 0x1F43_B675
  }

  private static func matroska(_ source: any ByteSource, _ demuxer: Demuxer) throws(MediaError)
    -> MissingEnd?
  {
    let reader = ElementReader(source, named: demuxer.name)
    guard let segment = try reader.first(ID.segment, in: 0..<source.size),
      let end = segment.statedEnd, end > source.size
    else { return nil }
    var (information, last): (ElementReader.Element?, ElementReader.Element?) = (nil, nil)
    try reader.scan(segment.payload) { element in
      if element.id == ID.information { information = element }
      last = element
      return true
    }
    let duration = try duration(in: information, by: reader)
    var isWithinPackets = false
    if let last, last.id == ID.cluster {
      isWithinPackets = duration == nil || last.statedEnd.map { $0 > source.size } ?? true
    }
    var ends: [Int: RationalTime] = [:]
    if let duration {
      for stream in demuxer.streams { ends[stream.index] = duration }
    }
    return MissingEnd(isWithinPackets: isWithinPackets, statedEnds: ends)
  }

  /// The duration that a segment states (RFC 9559, 5.1.2), in seconds.
  private static func duration(
    in information: ElementReader.Element?, by reader: ElementReader
  ) throws(MediaError) -> RationalTime? {
    guard let information,
      let element = try reader.first(ID.duration, in: information.payload)
    else { return nil }
    let bits = try reader.number(of: element)
    let ticks =
      element.payload.count == 4
      ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits)
    var scale: UInt64 = 1_000_000
    if let stated = try reader.first(ID.timestampScale, in: information.payload) {
      scale = try reader.number(of: stated)
    }
    let nanoseconds = (ticks * Double(scale)).rounded()
    guard nanoseconds >= 1, nanoseconds < Double(1 << 56) else { return nil }
    return try? RationalTime(Int64(nanoseconds), 1_000_000_000)
  }

  // MARK: AVI

  /// The most chunks that are read in a row.
  private static let mostChunks = 1 << 16

  /// A chunk of a RIFF file: its id and, of a list, its type, and its end according to its length.
  private struct Chunk {
    var id: String
    var type: String
    var payload: Int64
    /// `nil` if a writer that could not return to the length left it open.
    var end: Int64?
  }

  private static func interleaved(_ source: any ByteSource, _ demuxer: Demuxer)
    throws(MediaError) -> MissingEnd?
  {
    let reader = BoxReader(source: source, name: demuxer.name)
    // A file of OpenDML has a RIFF chunk of its own for each gigabyte.
    var offset: Int64 = 0
    for _ in 0..<mostChunks {
      guard let form = try chunk(at: offset, by: reader), form.id == "RIFF", let end = form.end
      else { return nil }
      if end > source.size {
        return MissingEnd(
          isWithinPackets: try isCutWithinPackets(form, size: source.size, by: reader),
          statedEnds: statedEnds(of: demuxer))
      }
      offset = end + end % 2
    }
    return nil
  }

  /// Whether the list of packets of a RIFF chunk runs past the file's end.
  private static func isCutWithinPackets(
    _ form: Chunk, size: Int64, by reader: BoxReader
  ) throws(MediaError) -> Bool {
    var offset = form.payload + 4
    for _ in 0..<mostChunks {
      guard let chunk = try chunk(at: offset, by: reader) else { return false }
      guard let end = chunk.end, end <= size else {
        return chunk.id == "LIST" && chunk.type == "movi"
      }
      offset = end + end % 2
    }
    return false
  }

  private static func chunk(at offset: Int64, by reader: BoxReader) throws(MediaError) -> Chunk? {
    guard offset <= reader.source.size - 12 else { return nil }
    let head = try reader.bytes(at: offset, count: 12)
    guard head.count == 12 else { return nil }
    let length = head[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let id = String(decoding: head[..<4], as: UTF8.self)
    let isOpen = length == 0xFFFF_FFFF || length == 0 && ["RIFF", "LIST"].contains(id)
    return Chunk(
      id: id, type: String(decoding: head[8...], as: UTF8.self), payload: offset + 8,
      end: isOpen ? nil : offset + 8 + length)
  }

  private static func statedEnds(of demuxer: Demuxer) -> [Int: RationalTime] {
    var ends: [Int: RationalTime] = [:]
    for stream in demuxer.streams {
      // The length in the stream's header (`strh`), in ticks. libav shortens the duration to that of the cut file.
      guard let count = demuxer.context.pointee.streams[stream.index]?.pointee.nb_frames,
        count > 0, let end = try? stream.timeBase * count
      else { continue }
      ends[stream.index] = end
    }
    return ends
  }
}
