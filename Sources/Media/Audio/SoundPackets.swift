import CFFmpeg
import Timeline

/// The packets of an audio stream with their places in samples, counted from the asset's time zero.
///
/// If the container's times count samples, they are the places. Otherwise they are rounded, so packets are counted from
/// the first on. Blocks; not thread-safe.
public final class SoundPackets {
  /// A packet's samples.
  public struct Place: Hashable, Sendable {
    /// The first sample, counted from the asset's time zero; negative before it.
    public var start: Int64
    /// The number of samples.
    public var count: Int64

    /// The sample after the last.
    public var end: Int64 { start + count }
  }

  /// The result of reading the next packet.
  public enum Next: Hashable, Sendable {
    /// ``packet`` holds the next packet, whose samples are these.
    case packet(Place)
    /// There are no more packets.
    case end
    /// The position of the next packet's samples is not known exactly.
    case unknown
  }

  /// The packet that was read last; undefined before the first read.
  public let packet: Packet
  /// The coding parameters of the packets.
  public let parameters: StreamParameters
  /// The first audible sample.
  public var start: Int64 { clock.start }
  /// The sample after the last audible one.
  public var end: Int64 { clock.end }
  private let demuxer: Demuxer
  private let stream: AudioStream
  private let clock: SampleClock
  /// Reads how many samples a packet of Apple Lossless holds; `nil` for other codecs.
  private let lossless: LosslessLength?
  /// Whether packet times are exact places, so that reading can begin anywhere.
  public let isExact: Bool
  /// Whether the container states no configuration, so that each packet of AAC has a header.
  private let hasHeaders: Bool
  /// The configuration of AAC if the container states it.
  private let outOfBand: AACConfiguration?
  /// The start of the next packet if nothing is missing; `nil` before the first.
  private var expected: Int64?

  /// Opens a stream of an asset that its index described, at or before the packet that holds `sample`.
  ///
  /// - Parameter origin: the asset's time zero, ``MediaIndex/start``.
  /// - Throws: ``MediaError``.
  public init(
    source: any ByteSource, named name: String, stream: AudioStream, origin: RationalTime,
    from sample: Int64
  ) throws {
    self.stream = stream
    demuxer = try Demuxer(source: source, named: name, for: .sound)
    guard stream.streamIndex < demuxer.streams.count else {
      throw MediaError(.noSuchStream, "there is no stream \(stream.streamIndex)", on: name)
    }
    demuxer.select(streams: [stream.streamIndex])
    parameters = demuxer.streams[stream.streamIndex].parameters
    packet = try Packet()
    hasHeaders = parameters.parameterSets.isEmpty
    outOfBand = AACConfiguration(parameters.parameterSets)
    lossless = LosslessLength(
      codec: parameters.codec, parameterSets: parameters.parameterSets)
    clock = try SampleClock(stream: stream, origin: origin)
    isExact = demuxer.countsSamples(of: stream)
    if isExact, sample > clock.start {
      try demuxer.seek(stream: stream.streamIndex, to: try clock.tick(of: sample))
    }
  }

  /// Reads the next packet.
  public func next() throws -> Next {
    repeat {
      guard try demuxer.read(into: packet) == .packet else { return .end }
    } while packet.streamIndex != stream.streamIndex
    guard let time = packet.time, !packet.isCorrupt, packet.count > 0, !packet.changesParameters
    else { return .unknown }
    let count = isExact ? exactLength : frameLength
    guard (1...Self.longest).contains(count) else { return .unknown }
    let said = try clock.position(of: time)
    let start =
      expected
      ?? (isExact ? said : clock.start - (packet.skippedSamples.map { Int64($0.start) } ?? preSkip))
    guard abs(said - start) <= (isExact ? 0 : rounding) else { return .unknown }
    expected = start + count
    return .packet(Place(start: start, count: count))
  }

  /// The configuration and the bytes of ``packet`` without ADTS header, if it is a frame of low-complexity AAC.
  public func aacFrame() -> (configuration: AACConfiguration, bytes: [UInt8])? {
    guard parameters.isLowComplexityAAC else { return nil }
    return packet.withUnsafeBytes { bytes in
      if !hasHeaders { return outOfBand.map { ($0, Array(bytes)) } }
      return AACConfiguration.inHeader(of: bytes).map {
        ($0.configuration, Array(bytes.dropFirst($0.length)))
      }
    }
  }

  /// How many samples a time may be off if it and the time that it is counted from are both rounded to ticks.
  private var rounding: Int64 {
    let ticks = Double(stream.sampleRate) * stream.timeBase.seconds
    return Int64(min(2 * ticks + 1, Double(Self.longest)))
  }

  /// The most samples that a packet can plausibly hold.
  private static let longest: Int64 = 1 << 20

  /// The number of samples in a packet if times count samples: its duration, or the count in the header of Apple
  /// Lossless if that is larger.
  private var exactLength: Int64 {
    guard let lossless else { return packet.duration }
    return max(packet.duration, Int64(packet.withUnsafeBytes(lossless.samples)))
  }

  /// The number of samples that the packet holds according to its codec; 0 if unknown.
  private var frameLength: Int64 {
    guard parameters.codec == "opus" else {
      return Int64(av_get_audio_frame_duration2(parameters.pointer, Int32(clamping: packet.count)))
    }
    return packet.withUnsafeBytes { bytes in Self.opusLength(bytes) }
  }

  /// Samples that an Opus decoder itself drops at the start (RFC 7845, 5.1); 0 for other codecs.
  private var preSkip: Int64 {
    let head = parameters.parameterSets
    guard parameters.codec == "opus", head.count >= 12 else { return 0 }
    return Int64(head[10]) | Int64(head[11]) << 8
  }

  /// Samples at 48 kHz in an Opus packet (RFC 6716, 3.1 and 3.2).
  private static func opusLength(_ bytes: UnsafeRawBufferPointer) -> Int64 {
    guard let first = bytes.first else { return 0 }
    let configuration = Int(first >> 3)
    let frame: Int64 =
      switch configuration {
      case ..<12: [480, 960, 1920, 2880][configuration % 4]
      case ..<16: [480, 960][configuration % 2]
      default: [120, 240, 480, 960][configuration % 4]
      }
    switch first & 3 {
    case 0: return frame
    case 1, 2: return 2 * frame
    default: return bytes.count > 1 ? Int64(bytes[1] & 0x3F) * frame : 0
    }
  }
}
