import Crypto
import Media
import Recording
import Rendering
import Timeline

/// Joins the fragments of a recording into an ordinary MP4 file with its index at the front, without encoding anything.
public enum RecordedMovie {
  /// A part of a recording: everything that one ``RecordingWriter`` wrote.
  public struct Part: Sendable {
    /// The folder of that writer.
    public var folder: String
    /// Its start, in seconds from the start of the recording.
    public var start: RationalTime
    /// Its fragments, in order. Some may be left out.
    public var fragments: [RecordedFragment]

    /// Creates a part.
    public init(folder: String, start: RationalTime, fragments: [RecordedFragment]) {
      self.folder = folder
      self.start = start
      self.fragments = fragments
    }
  }

  /// The maximum number of bytes that each sample adds to the index because durations vary (`stts`).
  private static let varyingLength = 8

  /// Joins parts of the same format. The pauses between parts and the gaps in them keep their lengths.
  ///
  /// - Parameters:
  ///   - path: the file to write.
  ///   - start: the time at which the file begins, in seconds from the start of the recording.
  ///   - isDurable: whether the file is flushed to disk.
  /// - Returns: the length and checksum of what was written.
  /// - Throws: `MediaError`: `emptyFile` if nothing was recorded, `invalidSettings` if formats differ, `damagedAsset` if
  ///   a fragment has changed on disk, `writeFailed`.
  @discardableResult public static func write(
    _ parts: [Part], to path: String, from start: RationalTime = .zero, isDurable: Bool = true
  ) throws -> WrittenContent {
    let parts = parts.filter { !$0.fragments.isEmpty }
    guard let first = parts.first else {
      throw MediaError(
        .emptyFile, "nothing was recorded", on: path,
        remedy: "check that the source sends a keyframe")
    }
    let format = try demuxer(of: first)
    let muxer = try Muxer(
      path: path, format: "mp4", options: ["moov_size": "\(indexRoom(parts, format))"])
    for stream in format.streams {
      let parameters = try StreamParameters(copying: stream.parameters)
      parameters.setMovieTag()
      _ = try muxer.addStream(parameters, timeBase: stream.timeBase)
    }
    try muxer.start()
    var last = format.streams.map { _ in Int64?.none }
    for part in parts { try append(part, from: start, like: format, to: muxer, after: &last) }
    return try muxer.finish(synchronized: isDurable)
  }

  /// Divides parts into runs of the same format, each of which ``write(_:to:isDurable:)`` can join.
  ///
  /// - Throws: `MediaError` if a part cannot be read.
  public static func runs(of parts: [Part]) throws -> [[Part]] {
    var runs: [[Part]] = []
    var format: Demuxer?
    for part in parts where !part.fragments.isEmpty {
      let demuxer = try demuxer(of: part)
      if let format, haveSameFormat(format, demuxer) {
        runs[runs.count - 1].append(part)
      } else {
        runs.append([part])
        format = demuxer
      }
    }
    return runs
  }

  /// The time of the first sample of parts, in seconds from the start of the recording. Sound may begin before the first
  /// picture.
  ///
  /// - Throws: `MediaError` if the first fragment cannot be read.
  public static func start(of parts: [Part]) throws -> RationalTime {
    guard var part = parts.first(where: { !$0.fragments.isEmpty }) else { return .zero }
    part.fragments = Array(part.fragments.prefix(1))
    let demuxer = try demuxer(of: part)
    let packet = try Packet()
    var start: RationalTime?
    while try demuxer.read(into: packet) == .packet {
      guard let ticks = packet.time else { continue }
      let time = try part.start + packet.timeBase * ticks
      start = min(start ?? time, time)
    }
    return start ?? part.start
  }

  /// Divides parts between fragments, so that no sample is lost. Each group is at least as long as a length in seconds,
  /// except for the last one, and begins with a keyframe.
  public static func split(_ parts: [Part], every length: RationalTime) throws -> [[Part]] {
    var groups: [[Part]] = []
    var start: RationalTime?
    for part in parts {
      var isNew = true
      for fragment in part.fragments {
        let time = try part.start + fragment.start
        let isDue = try start.map { try time - $0 >= length } ?? true
        if isDue, fragment.beginsWithKeyframe || groups.isEmpty {
          groups.append([])
          start = time
          isNew = true
        }
        if isNew {
          groups[groups.count - 1].append(
            Part(folder: part.folder, start: part.start, fragments: []))
          isNew = false
        }
        let last = groups[groups.count - 1].count - 1
        groups[groups.count - 1][last].fragments.append(fragment)
      }
    }
    return groups
  }

  private static func demuxer(of part: Part) throws -> Demuxer {
    try Demuxer(
      source: FragmentsByteSource(folder: part.folder, fragments: part.fragments),
      named: part.folder, for: .packets)
  }

  private static func haveSameFormat(_ a: Demuxer, _ b: Demuxer) -> Bool {
    a.streams.count == b.streams.count
      && zip(a.streams, b.streams).allSatisfy { a, b in
        a.timeBase == b.timeBase && a.parameters.codec == b.parameters.codec
          && a.parameters.size == b.parameters.size
          && a.parameters.sampleRate == b.parameters.sampleRate
          && a.parameters.channels == b.parameters.channels
          && a.parameters.parameterSets == b.parameters.parameterSets
      }
  }

  /// Appends the packets of a part.
  ///
  /// - Parameters:
  ///   - start: the time at which the file begins, in seconds from the start of the recording.
  ///   - last: the last decoding time of each stream.
  private static func append(
    _ part: Part, from start: RationalTime, like format: Demuxer, to muxer: Muxer,
    after last: inout [Int64?]
  ) throws {
    let demuxer = try demuxer(of: part)
    guard haveSameFormat(format, demuxer) else {
      throw MediaError(
        .invalidSettings, "parts of the recording have different formats", on: part.folder,
        remedy: "write a file for each format")
    }
    let shifts = try demuxer.streams.map {
      try (part.start - start).ticks(of: $0.timeBase, rounding: .nearest)
    }
    var steps = demuxer.streams.map { _ in [Int64]() }
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet {
      let stream = packet.streamIndex
      guard let time = packet.time, let decoding = packet.decodingTime else { continue }
      // Parts with different reorder depths may overlap in decoding time, and parts with clocks of their own in sound.
      let presented = time + shifts[stream]
      let earliest = last[stream].map { $0 + 1 } ?? .min
      guard presented >= earliest else { continue }
      let decoded = min(max(decoding + shifts[stream], earliest), presented)
      packet.time = presented
      packet.decodingTime = decoded
      // The container needs a duration only for the last packet of a stream, and libavformat does not report it. The
      // packet gets the duration of the previous one, or of the one before that if there is a gap between them.
      if let last = last[stream] { steps[stream] = steps[stream].suffix(1) + [decoded - last] }
      packet.duration = steps[stream].min() ?? 0
      last[stream] = decoded
      try muxer.write(packet, to: stream)
    }
  }

  /// An upper bound on the bytes of the index.
  private static func indexRoom(_ parts: [Part], _ format: Demuxer) -> Int {
    let fragments = parts.flatMap(\.fragments)
    let sets = format.streams.reduce(0) { $0 + $1.parameters.parameterSets.count }
    let samples = fragments.reduce(0) { $0 + $1.sampleCounts.reduce(0, +) }
    // Every sample may be a picture, and every run of samples may be a chunk of the container.
    return MovieIndexBound.bytes(
      frameCount: samples, parameterSetBytes: sets, audioPackets: 0, audioRuns: 0, audioBytes: 0)
      + varyingLength * samples
  }
}
