import CFFmpeg
import Timeline

/// Places packets of RTP, whose streams have clocks of their own and state no decoding times, on one clock.
///
/// libav counts the times of each stream from its first packet, as long as it gets no reports of RTCP.
struct LivePlaces {
  private struct Stream {
    /// Ticks of its own clock per second.
    let rate: Int64
    let mediaKind: MediaKind
    /// The start on the common clock, once a packet was read.
    var start: Int64?
    var times: DecodingTimes
  }

  /// The packets of RTP that libav has taken for a stream.
  private struct Taken {
    /// The last timestamp, and the ticks from the first one to it.
    var timestamp: UInt32
    var elapsed: Int64 = 0
    /// For each different time, the position of its first packet in the bytes of the source.
    var places: [(elapsed: Int64, position: Int64)] = []
    /// The position of the last packet that was placed.
    var position: Int64
  }

  private let ticksPerSecond: Int64
  private let timeBase: RationalTime
  private let startOf: (_ stream: Int) -> Int64
  private var streams: [Int: Stream] = [:]
  private var taken: [Int: Taken] = [:]
  /// The maximum number of times whose positions are kept: several times as many as libav reads ahead.
  private static let mostPlaces = 4096
  /// The payload type of the first stream in the description.
  private static let firstPayloadType = 96

  /// `nil` for formats other than RTP.
  init?(_ format: LiveContainer, startingAt start: @escaping (_ stream: Int) -> Int64) {
    guard format == .rtp, let timeBase = try? RationalTime(1, format.clock.ticksPerSecond) else {
      return nil
    }
    (ticksPerSecond, self.timeBase, startOf) = (format.clock.ticksPerSecond, timeBase, start)
  }

  /// Adds a stream.
  mutating func add(_ stream: AVStream, at index: Int) {
    guard stream.time_base.num == 1, stream.time_base.den > 0 else { return }
    let isVideo = stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    streams[index] = Stream(
      rate: Int64(stream.time_base.den), mediaKind: isVideo ? .video : .audio,
      times: DecodingTimes(
        depth: Int(stream.codecpar.pointee.video_delay), ticksPerSecond: ticksPerSecond))
  }

  /// Notes a packet of RTP that libav takes.
  ///
  /// - Parameter position: its position in the bytes of the source.
  mutating func note(_ bytes: UnsafeRawBufferPointer, at position: Int64) {
    guard bytes.count >= 12 else { return }
    let index = Int(bytes[1] & 0x7F) - Self.firstPayloadType
    let timestamp = bytes[4..<8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    var known = taken[index] ?? Taken(timestamp: timestamp, position: position)
    known.elapsed += Int64(Int32(bitPattern: timestamp &- known.timestamp))
    known.timestamp = timestamp
    if known.places.last?.elapsed != known.elapsed {
      if known.places.count >= Self.mostPlaces { known.places.removeFirst(Self.mostPlaces / 2) }
      known.places.append((known.elapsed, position))
    }
    taken[index] = known
  }

  /// The position of the first packet of RTP with a time.
  private mutating func position(of time: Int64?, in index: Int) -> Int64 {
    guard var known = taken[index] else { return -1 }
    if let place = known.places.firstIndex(where: { $0.elapsed == time }) {
      known.position = known.places[place].position
      known.places.removeFirst(place)
    }
    taken[index] = known
    return known.position
  }

  /// Gives a packet its time on the common clock, and its position in the bytes of the source.
  mutating func place(_ packet: Packet) {
    let index = packet.streamIndex
    guard var stream = streams[index] else { return }
    // libav's parsers give no time to the first picture, at which the times of the stream begin.
    if stream.start == nil, packet.time == nil { packet.time = 0 }
    let start = stream.start ?? startOf(index)
    stream.start = start
    let (rate, ticksPerSecond) = (stream.rate, ticksPerSecond)
    let ticks = { (time: Int64) in av_rescale(time, ticksPerSecond, rate) }
    packet.pointer.pointee.pos = position(of: packet.time, in: index)
    packet.timeBase = timeBase
    packet.duration = ticks(packet.duration)
    packet.time = packet.time.map { ticks($0) + start }
    packet.decodingTime =
      stream.mediaKind == .video
      ? packet.time.map { stream.times.next(presentedAt: $0, lasting: packet.duration) }
      : packet.time
    streams[index] = stream
  }
}
