import CFFmpeg
import Timeline

/// Finds the presented frames of a video stream and where decoding can begin, from its packets.
struct FrameTableBuilder {
  let packets: [PacketScan.VideoPacket]
  let starts: KeyframeScan?
  let stream: Demuxer.Stream
  let demuxer: Demuxer
  let source: any ByteSource

  /// The table, `nil` if no frame is presented.
  func table() throws -> FrameTable? {
    let (times, haveMoved) = try presentedTimes()
    guard let last = times.last else { return nil }
    let (end, overflow) = last.addingReportingOverflow(lastDuration(of: times))
    guard !overflow else {
      throw MediaError(
        .damaged, "the frames' times do not fit in 64 bits", on: demuxer.name,
        remedy: "remultiplex the file")
    }
    return FrameTable(times: times, end: end, keyframes: haveMoved ? [] : keyframes())
  }

  /// Strictly increasing presentation times, and whether some are not the frames' own, so that decoding has to begin at
  /// the start.
  private func presentedTimes() throws -> (times: [Int64], haveMoved: Bool) {
    let shown = packets.filter(\.isPresented)
    if demuxer.isStillImage { return ([shown.first?.time ?? 0], false) }
    let known = shown.compactMap(\.time).sorted()
    let isDistinct = zip(known, known.dropFirst()).allSatisfy { $0 < $1 }
    guard known.count == shown.count, isDistinct, !mayHoldSeparateFields else {
      return try decodedTimes()
    }
    guard let bound = undecodedHeadBound() else { return (known, false) }
    let head = try decodedTimes(until: bound)
    if head.haveMoved { return try decodedTimes() }
    return (head.times.filter { $0 < bound } + known.filter { $0 >= bound }, false)
  }

  private func decodedTimes(until bound: Int64? = nil) throws -> (times: [Int64], haveMoved: Bool) {
    let decoded = try DecodedTimes.read(
      source: source, named: demuxer.name, stream: stream.index, until: bound)
    return (decoded.times, decoded.haveMoved)
  }

  /// Broadcast streams may carry the two fields of a frame as two packets.
  private var mayHoldSeparateFields: Bool {
    let order = stream.parameters.pointer.pointee.field_order
    let isInterlaced = order != AV_FIELD_PROGRESSIVE && order != AV_FIELD_UNKNOWN
    return isInterlaced && ["h264", "hevc"].contains(stream.parameters.codec)
      && !demuxer.format.hasPrefix("mov,")
  }

  /// The time up to which a decoder may leave out frames because the stream does not begin with a keyframe of its own,
  /// or its first keyframe has leading frames; `nil` if the stream begins cleanly.
  private func undecodedHeadBound() -> Int64? {
    guard let first = packets.firstIndex(where: \.isKey), let key = packets[first].time else {
      return Int64.max
    }
    let later = packets[(first + 1)...].first { $0.isKey && ($0.time ?? key) > key }?.time
    let leading = packets.contains { $0.isPresented && ($0.time ?? key) < key }
    return first > 0 || leading ? (later ?? Int64.max) : nil
  }

  /// The last frame's length: the packet's, where packets' lengths agree with the frames' distances; else the last
  /// distance, because libav then only guessed the length from a frame rate.
  private func lastDuration(of times: [Int64]) -> Int64 {
    let durations = Dictionary(
      packets.compactMap { packet in packet.time.map { ($0, packet.duration) } },
      uniquingKeysWith: { first, _ in first })
    guard let last = times.last else { return 0 }
    let own = max(durations[last] ?? 0, 0)
    guard times.count > 1 else { return own }
    let agreeing = zip(times, times.dropFirst()).count {
      abs(durations[$0, default: 0] - ($1 - $0)) <= 1
    }
    let previous = last - times[times.count - 2]
    return own > 0 && agreeing * 2 >= times.count - 1 ? own : previous
  }

  /// The keyframes whose times no other frame has: seeking to such a time might find either frame.
  private func keyframes() -> [FrameTable.Keyframe] {
    var keyframes: [FrameTable.Keyframe] = []
    let sharing = Dictionary(
      packets.filter(\.isPresented).compactMap(\.time).map { ($0, 1) }, uniquingKeysWith: +)
    for (index, packet) in packets.enumerated() where packet.isKey {
      guard let time = packet.time ?? packet.decodingTime, sharing[time, default: 1] == 1 else {
        continue
      }
      let following = packets[(index + 1)...].prefix { !$0.isKey }
      var keyframe = FrameTable.Keyframe(
        time: time, decodingTime: packet.decodingTime ?? time, position: packet.position,
        hasLeadingFrames: following.contains {
          $0.isPresented && ($0.time.map { $0 < time } ?? false)
        })
      switch packet.damage == .missing ? .none : starts?.start(at: index) ?? .exact {
      case .exact: break
      case .none: keyframe.isSeekable = false
      case .gradual(let pictures):
        if let recovered = recovery(after: index, pictures: pictures) {
          (keyframe.time, keyframe.packetTime) = (recovered, time)
        } else {
          keyframe.isSeekable = false
        }
      }
      keyframes.append(keyframe)
    }
    keyframes.sort { $0.time < $1.time }
    return keyframes
  }

  /// The presentation time of the picture that comes the given number of reference pictures after a packet's own; `nil`
  /// if the stream ends before it (ITU-T H.264, D.2.8).
  private func recovery(after index: Int, pictures: Int) -> Int64? {
    var (place, left) = (index, pictures)
    while left > 0, place < packets.count {
      if packets[place].isReference { left -= 1 }
      place += 1
    }
    return place < packets.count ? packets[place].time : nil
  }

  /// The parts of the stream whose packets are damaged; `nil` if there are none.
  func damage(in table: FrameTable) -> [DamagedRange]? {
    var ranges: [DamagedRange] = []
    let damaged = packets.filter { $0.isPresented && $0.damage != nil }
      .sorted { ($0.time ?? .min) < ($1.time ?? .min) }
    for packet in damaged {
      guard let kind = packet.damage, let time = packet.time else { continue }
      let number = table.frame(at: time)
      let end = number + 1 < table.times.count ? table.times[number + 1] : table.end
      if let last = ranges.last, last.kind == kind, last.end == table.times[number] {
        ranges[ranges.count - 1].end = end
      } else {
        ranges.append(DamagedRange(kind: kind, start: table.times[number], end: end))
      }
    }
    return ranges.isEmpty ? nil : ranges
  }
}
