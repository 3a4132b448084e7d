import CFFmpeg
import Timeline

/// The packets of an audio stream with their places in samples, counted from the asset's time zero.
///
/// Where the container's times count samples, they say the places. Elsewhere they are rounded, so packets are counted
/// from the first on. Blocking, and not thread-safe.
public final class SoundPackets {
  /// A packet's samples.
  public struct Place: Hashable, Sendable {
    /// The first.
    public var start: Int64
    /// How many.
    public var count: Int64

    /// The sample after the last.
    public var end: Int64 { start + count }
  }

  /// What comes next.
  public enum Next: Hashable, Sendable {
    /// ``packet`` holds the next packet, whose samples are these.
    case packet(Place)
    /// There are no more.
    case end
    /// Where the next packet's samples belong is not known exactly.
    case unknown
  }

  /// The packet that was read last; of no meaning before.
  public let packet: Packet
  /// How the packets are coded.
  public let parameters: StreamParameters
  /// The sample after the last one that is heard.
  public let end: Int64
  private let demuxer: Demuxer
  private let stream: AudioStream
  private let clock: SampleClock
  /// Whether times are places.
  private let isExact: Bool
  /// Where the next packet begins if nothing is missing; `nil` before the first.
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
    demuxer = try Demuxer(source: source, named: name)
    guard stream.streamIndex < demuxer.streams.count else {
      throw MediaError(.noSuchStream, "there is no stream \(stream.streamIndex)", on: name)
    }
    demuxer.select(streams: [stream.streamIndex])
    parameters = demuxer.streams[stream.streamIndex].parameters
    packet = try Packet()
    clock = try SampleClock(stream: stream, origin: origin)
    end = clock.end
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
    guard let time = packet.time, !packet.isCorrupt, packet.count > 0 else { return .unknown }
    let count = isExact ? packet.duration : frameLength
    guard (1...Self.longest).contains(count) else { return .unknown }
    let said = try clock.position(of: time)
    let start =
      expected ?? (isExact ? said : clock.start - Int64(packet.skippedSamples?.start ?? 0))
    guard abs(said - start) <= (isExact ? 0 : clock.slack) else { return .unknown }
    expected = start + count
    return .packet(Place(start: start, count: count))
  }

  /// The most samples that are believed of a packet.
  private static let longest: Int64 = 1 << 20

  /// How many samples the packet holds, by its codec; 0 where they are not all alike.
  private var frameLength: Int64 {
    Int64(av_get_audio_frame_duration2(parameters.pointer, Int32(clamping: packet.count)))
  }
}
