import CFFmpeg
import Timeline

/// The end of a Matroska, WebM or AVI file that was cut short. libav reads such a file up to the cut and reports an
/// ordinary end.
struct MissingEnd {
  /// The missing end of a stream.
  struct OfStream {
    /// The time at which the stream ends according to the file, in ticks.
    let ticks: Int64
    /// Whether the file states that time for the stream itself, and not for all streams together.
    let isOwn: Bool
    /// The most frames that may be missing.
    let mostFrames: Int
  }

  /// Whether the file ends within a packet or a group of packets.
  private let isWithinPackets: Bool
  /// The times at which streams end according to the file, in seconds, by stream index.
  private let statedEnds: [Int: RationalTime]
  /// Whether the file states a time for each stream.
  private let areOwn: Bool
  /// The share of the file's bytes that is missing, relative to those that are there; `nil` if it is unknown.
  private let missingShare: Double?

  /// The most frames that the missing ends of a file's video streams may have together.
  private static let mostFrames = 1 << 20
  /// How many times longer the missing end may be than its bytes suggest, because the end of a video may be still and
  /// dark.
  private static let leanest = 16.0

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

  /// The missing ends of the streams, which were read up to the given times (in seconds, by stream index). Empty if
  /// only data after the packets is missing.
  ///
  /// - Parameter videoCount: the number of video streams among them.
  func ends(after ends: [Int: RationalTime], videoCount: Int, of demuxer: Demuxer) throws
    -> [Int: OfStream]
  {
    guard let latest = ends.values.max(), areOwn || isMissingPackets(after: latest) else {
      return [:]
    }
    let mostFrames = Self.mostFrames / max(videoCount, 1)
    var missing: [Int: OfStream] = [:]
    for (stream, end) in ends {
      let timeBase = demuxer.streams[stream].timeBase
      func ofStream(_ time: RationalTime) throws -> OfStream {
        OfStream(
          ticks: try time.ticks(of: timeBase, rounding: .nearest), isOwn: areOwn,
          mostFrames: mostFrames)
      }
      if areOwn {
        if let stated = statedEnds[stream], stated > end { missing[stream] = try ofStream(stated) }
        continue
      }
      // A stream that ended long before the cut is complete.
      guard try latest - end < RationalTime(5) else { continue }
      // Without a credible end, it is only known that something is missing.
      let stated = statedEnds[stream].flatMap { isCredible($0, after: latest) ? $0 : nil }
      missing[stream] = try ofStream(stated ?? end + RationalTime(1, 50))
    }
    return missing
  }

  /// Whether the missing bytes can cover the time from `latest` to `end`.
  private func isCredible(_ end: RationalTime, after latest: RationalTime) -> Bool {
    guard end > latest, let missingShare else { return false }
    return end.seconds - latest.seconds <= 2 + Self.leanest * missingShare * latest.seconds
  }

  /// Whether packets are missing from streams whose last one ends at `latest`, in seconds.
  ///
  /// If the file ends between two groups of packets, they count as complete up to half a second before the stated end,
  /// which is often an estimate.
  private func isMissingPackets(after latest: RationalTime) -> Bool {
    guard !isWithinPackets else { return true }
    guard let stated = statedEnds.values.max(), let half = try? RationalTime(1, 2),
      let reached = try? latest + half
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
    var hasClusters = false
    try reader.scan(segment.payload) { element in
      if element.id == ID.information { information = element }
      hasClusters = hasClusters || element.id == ID.cluster
      last = element
      return true
    }
    // Only an index can follow the clusters.
    guard !hasClusters || last?.id == ID.cluster else { return nil }
    let duration = try duration(in: information, by: reader)
    var ends: [Int: RationalTime] = [:]
    if let duration {
      for stream in demuxer.streams { ends[stream.index] = duration }
    }
    return MissingEnd(
      isWithinPackets: duration == nil || !hasClusters
        || last?.statedEnd.map { $0 > source.size } ?? true,
      statedEnds: ends, areOwn: false,
      missingShare: Double(end - source.size) / Double(max(source.size, 1)))
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

  /// A chunk of a RIFF file.
  private struct Chunk {
    var id: String
    /// The end according to the chunk's length; `nil` if a writer that could not return to the length left it open.
    var end: Int64?
  }

  private static func interleaved(_ source: any ByteSource, _ demuxer: Demuxer)
    throws(MediaError) -> MissingEnd?
  {
    let reader = BoxReader(source: source, name: demuxer.name)
    // An OpenDML file has a RIFF chunk for each gigabyte.
    var offset: Int64 = 0
    for _ in 0..<mostChunks {
      guard let form = try chunk(at: offset, by: reader), form.id == "RIFF", let end = form.end
      else { return nil }
      if end > source.size {
        return MissingEnd(
          isWithinPackets: false, statedEnds: statedEnds(of: demuxer), areOwn: true,
          missingShare: nil)
      }
      offset = end + end % 2
    }
    return nil
  }

  private static func chunk(at offset: Int64, by reader: BoxReader) throws(MediaError) -> Chunk? {
    guard offset <= reader.source.size - 12 else { return nil }
    let head = try reader.bytes(at: offset, count: 12)
    guard head.count == 12 else { return nil }
    let length = head[4..<8].reversed().reduce(Int64(0)) { $0 << 8 | Int64($1) }
    let id = String(decoding: head[..<4], as: UTF8.self)
    let isOpen = length == 0xFFFF_FFFF || length == 0 && ["RIFF", "LIST"].contains(id)
    return Chunk(id: id, end: isOpen ? nil : offset + 8 + length)
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
