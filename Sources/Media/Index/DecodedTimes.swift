import Timeline

/// The times of a video stream's frames as a decoder presents them, for streams whose packets do not reveal them.
struct DecodedTimes {
  /// The times in increasing order.
  let times: [Int64]
  /// Whether some are not the frames' own. Only decoding from the start of the stream yields such times.
  let haveMoved: Bool

  /// The times from the start of the stream to at least `bound`, or to the end.
  static func read(
    source: any ByteSource, named name: String, stream index: Int, until bound: Int64?
  ) throws -> DecodedTimes {
    let demuxer = try Demuxer(source: source, named: name)
    demuxer.select(streams: [index])
    let decoder = try VideoDecoder(demuxer.streams[index], named: name)
    let packet = try Packet()
    var (times, steady) = ([Int64](), SteadyTimes(of: demuxer))
    while true {
      switch try decoder.receive() {
      case .frame(let frame):
        guard let time = try steady.time(of: frame, named: name) else { continue }
        times.append(time)
        if let bound, time >= bound {
          return DecodedTimes(times: times, haveMoved: steady.hasMoved)
        }
      case .endOfStream: return DecodedTimes(times: times, haveMoved: steady.hasMoved)
      case .needsInput:
        let result = try demuxer.read(into: packet)
        if result == .packet, packet.streamIndex != index { continue }
        try decoder.send(result == .packet ? packet : nil)
      }
    }
  }
}

/// The first frame of a stream, for properties that only a decoder reveals.
enum FirstFrame {
  /// The frame; `nil` if the stream yields none.
  ///
  /// - Parameter isStrict: whether a damaged frame is dropped rather than concealed.
  static func decode(
    source: any ByteSource, named name: String, stream index: Int, isStrict: Bool = false
  ) throws -> Frame? {
    let demuxer = try Demuxer(source: source, named: name)
    demuxer.select(streams: [index])
    let decoder = try DecoderContext(demuxer.streams[index], named: name, isStrict: isStrict)
    let packet = try Packet()
    while true {
      switch try decoder.receive() {
      case .frame(let frame): return frame
      case .endOfStream: return nil
      case .needsInput:
        let result = try demuxer.read(into: packet)
        if result == .packet, packet.streamIndex != index { continue }
        try decoder.send(result == .packet ? packet : nil)
      }
    }
  }
}
