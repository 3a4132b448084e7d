import Crypto
import Media
import Planning
import Timeline

/// Copies a source's packets unchanged as a job's sound.
public struct SoundCopier {
  private let copied: CopiedSound
  private let source: AudioSource

  /// The number of samples that a decoder needs before the first correct one, at the stream's rate, by codec. For AAC,
  /// this is the overlapping frame and one more to be safe. For Opus, it is half a second, after which decoders that
  /// started at different places differ by less than 10⁻⁶ (after the 80 ms of RFC 7845, 4.6, by less than 0.06).
  private static let runIn: [String: Int64] = ["aac": 2048, "opus": 24_000]

  /// The maximum encoder delay in samples, by codec: for AAC that of Apple's encoder, for Opus the 80 ms of RFC 7845.
  private static let longestDelay: [String: Int64] = ["aac": 2112, "opus": 3840]

  /// Creates the copier of a mix; `nil` if the mix copies nothing.
  ///
  /// - Throws: ``RenderingError`` with code `invalidDescription`.
  public init?(_ mix: MixDescription) throws {
    guard let copied = mix.copied else { return nil }
    guard mix.sources.indices.contains(copied.source), copied.sampleCount > 0,
      (-1 << 62...1 << 62).contains(copied.firstSample), copied.sampleCount < 1 << 62
    else {
      throw RenderingError(
        .invalidDescription, "the mix is malformed: it copies a missing source or an invalid range")
    }
    self.copied = copied
    source = mix.sources[copied.source]
  }

  /// Writes the sound to a new audio file at `path` (MP4, or QuickTime for PCM), whose edit list hides what comes
  /// before its first sample.
  ///
  /// - Returns: the length and checksum of the file, or `nil` if the sound cannot be copied: the packets' exact sample
  ///   positions are unknown, the file would play sound that the source hides, or nothing is audible. The file at
  ///   `path` is then unusable.
  /// - Throws: `MediaError` if the source cannot be read or the file cannot be written.
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
        // The file can hide what comes before its first sample, but nothing after it.
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

  /// A packet with only the bytes of another. A PCM packet is cut to `part`; `nil` if its samples differ in size.
  ///
  /// Packets of other codecs stay whole, and their duration says how much of them is heard.
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

  /// The maximum number of samples before the first one if there is no edit list.
  private var mostBefore: Int64 { Self.longestDelay[source.stream.codec] ?? 0 }

  private var isPCM: Bool { source.stream.codec.hasPrefix("pcm_") }
}
