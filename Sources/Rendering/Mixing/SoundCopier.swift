import Crypto
import Media
import Planning
import Timeline

/// Makes a job's sound of a source's packets as they are.
public struct SoundCopier {
  private let copied: CopiedSound
  private let source: AudioSource

  /// Samples that a decoder needs ahead of the first one that is right, at the stream's rate, by the codec: for AAC a
  /// frame that overlaps and one more to be sure; for Opus half a second, after which a decoder that began there is
  /// within 10⁻⁶ of one that began elsewhere (after the 80 ms of RFC 7845, 4.6, within 0.06).
  private static let runIn: [String: Int64] = ["aac": 2048, "opus": 24_000]

  /// The most samples that an encoder puts before the first one that it is given: Apple's for AAC, and for Opus the
  /// 80 ms of RFC 7845.
  private static let longestDelay: [String: Int64] = ["aac": 2112, "opus": 3840]

  /// A copier of a mix; `nil` where none is asked for.
  ///
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  public init?(_ mix: MixDescription) throws {
    guard let copied = mix.copied else { return nil }
    guard mix.sources.indices.contains(copied.source), copied.sampleCount > 0,
      (-1 << 62...1 << 62).contains(copied.firstSample), copied.sampleCount < 1 << 62
    else {
      throw RenderingError(
        .invalidDescription, "the mix is malformed: it copies what is not among its sources")
    }
    self.copied = copied
    source = mix.sources[copied.source]
  }

  /// Writes the sound to a new audio file at `path` (MP4, or QuickTime for PCM), whose edit list takes off what comes
  /// before its first sample.
  ///
  /// - Returns: what was written, or `nil` if the sound cannot be copied: where the packets' places in samples are not
  ///   known exactly, where they hold what the source lets nobody hear and the file would, or where nothing is heard. The
  ///   file at `path` is of no use then.
  /// - Throws: `MediaError` where the source cannot be read, or the file not be written.
  public func copy(
    to path: String, open: (AudioSource) throws -> any ByteSource
  ) throws -> WrittenContent? {
    let (first, stream) = (copied.firstSample, source.stream)
    let lead = first - (Self.runIn[stream.codec] ?? 0)
    let packets = try SoundPackets(
      source: try open(source), named: source.name, stream: stream, origin: source.start,
      from: lead)
    guard isPCM || !packets.parameters.parameterSets.isEmpty,
      stream.codec != "aac" || packets.parameters.isLowComplexityAAC
    else { return nil }
    let parameters = try StreamParameters(copying: packets.parameters)
    parameters.setCodecTag(nil)
    let muxer = try Muxer(
      path: path, format: isPCM ? "mov" : "mp4",
      options: ["movie_timescale": "\(stream.sampleRate)"])
    let sample = try RationalTime(1, Int64(stream.sampleRate))
    let output = try muxer.addStream(parameters, timeBase: sample)
    try muxer.start()
    let end = min(first + copied.sampleCount, packets.end)
    var isAnyHeard = false
    reading: while true {
      switch try packets.next() {
      case .unknown: return nil
      case .end: break reading
      case .packet(let place):
        if place.end <= lead { continue }
        if place.start >= end { break reading }
        let from = isPCM ? max(place.start, first, packets.start) : place.start
        guard from < min(place.end, end) else { continue }
        let part = from..<min(place.end, end)
        // The file hides what comes before its first sample, and nothing after.
        if part.lowerBound < packets.start, part.upperBound > first, packets.start > first {
          return nil
        }
        guard copied.hasEditList || first - part.lowerBound <= mostBefore else { return nil }
        guard let copy = try copy(part, of: packets.packet, at: place) else { return nil }
        isAnyHeard = isAnyHeard || part.upperBound > first
        copy.timeBase = sample
        copy.time = part.lowerBound - first
        copy.decodingTime = copy.time
        copy.duration = Int64(part.count)
        copy.isKey = true
        try muxer.write(copy, to: output)
      }
    }
    guard isAnyHeard else { return nil }
    return try muxer.finish()
  }

  /// A packet with nothing but its bytes; of linear samples those of a part of it, `nil` where they are not of one size.
  ///
  /// What is coded stays whole: its length says how much of it is heard.
  private func copy(
    _ part: Range<Int64>, of packet: Packet, at place: SoundPackets.Place
  ) throws -> Packet? {
    try packet.withUnsafeBytes { bytes in
      guard isPCM else { return try Packet(bytes: Array(bytes)) }
      guard bytes.count.isMultiple(of: Int(place.count)) else { return nil }
      let size = bytes.count / Int(place.count)
      let (start, end) = (part.lowerBound - place.start, part.upperBound - place.start)
      return try Packet(bytes: Array(bytes[Int(start) * size..<Int(end) * size]))
    }
  }

  /// The most samples before the first one where there is no edit list.
  private var mostBefore: Int64 { Self.longestDelay[source.stream.codec] ?? 0 }

  private var isPCM: Bool { source.stream.codec.hasPrefix("pcm_") }
}
