import CFFmpeg
import Timeline

/// Finds the presented frames of a video stream and where decoding can begin, from its packets.
struct FrameTableBuilder {
  let packets: [PacketScan.VideoPacket]
  let starts: KeyframeScan?
  let stream: Demuxer.Stream
  let demuxer: Demuxer
  let source: any ByteSource
  /// The end of the stream, if the file is cut short before it.
  let missingEnd: MissingEnd.OfStream?

  /// The table with the times of the frames in it that are missing because the file is cut short; `nil` if no frame is
  /// presented.
  func table() throws -> (frames: FrameTable, missing: [Int64])? {
    let (found, haveMoved) = try presentedTimes()
    let missing = try missingTimes(besides: found)
    let times = missing.isEmpty ? found : (found + missing).sorted()
    guard let last = times.last else { return nil }
    let (end, overflow) = last.addingReportingOverflow(lastDuration(of: times))
    guard !overflow else {
      throw MediaError(
        .damaged, "the frame times do not fit in 64 bits", on: demuxer.name,
        remedy: "remux the file, e.g. with ffmpeg -c copy")
    }
    let frames = FrameTable(times: times, end: end, keyframes: haveMoved ? [] : keyframes())
    return (frames, missing)
  }

  /// The estimated times of the frames that are missing because the file is truncated: gaps among the last frames,
  /// caused by reordering, and all frames after them. There is at least one, unless the file states the end of each
  /// stream.
  private func missingTimes(besides times: [Int64]) throws(MediaError) -> [Int64] {
    guard let missingEnd, let last = times.last else { return [] }
    let step = usualLength(of: times)
    let deepest = Int(SteadyTimes.deepestReordering)
    var missing: [Int64] = []
    // Only reordered frames leave gaps. Gaps between other frames are pauses.
    let tail = isReordered ? times.suffix(deepest + 1) : []
    for (earlier, later) in zip(tail, tail.dropFirst()) {
      let distance = (Double(later - earlier) / step).rounded()
      guard distance >= 2, distance <= Double(deepest) else { continue }
      for number in 1..<Int(distance) {
        missing.append(earlier + Int64((Double(number) * step).rounded()))
      }
    }
    // The stated end is often that of the sound, which is up to a fraction of a frame later.
    let count = (Double(missingEnd.ticks - last) / step + 0.25).rounded(.down) - 1
    guard count <= Double(missingEnd.mostFrames) else {
      throw MediaError.truncated(
        demuxer.name, cause: "more than \(missingEnd.mostFrames) frames are missing")
    }
    let fewest = missing.isEmpty && !missingEnd.isOwn ? 1 : 0
    for number in 0..<max(Int(count), fewest) {
      missing.append(last + Int64((Double(number + 1) * step).rounded()))
    }
    return missing
  }

  /// Whether a frame is presented before one that comes before it in the file.
  private var isReordered: Bool {
    let times = packets.filter(\.isPresented).compactMap(\.time)
    return zip(times, times.dropFirst()).contains { $0 > $1 }
  }

  /// The usual length of a frame in ticks, at least 1: the median distance of frames, or more precisely that of the stated
  /// frame rate or the mean distance, if it differs from the median by rounding only.
  private func usualLength(of times: [Int64]) -> Double {
    let stated = stream.averageFrameRate.map { 1 / ($0.seconds * stream.timeBase.seconds) }
    let distances = zip(times, times.dropFirst()).map { $1 - $0 }.sorted()
    guard let first = times.first, let last = times.last, !distances.isEmpty else {
      return max(stated ?? Double(packets.first?.duration ?? 1), 1)
    }
    // If a cut group of pictures has few frames, most distances may be between frames that others belong between.
    let isFew = distances.count < 2 * Int(SteadyTimes.deepestReordering)
    let median = Double(isReordered && isFew ? distances[0] : distances[distances.count / 2])
    let mean = Double(last - first) / Double(distances.count)
    return max([stated, mean].compactMap { $0 }.first { abs($0 - median) < 1 } ?? median, 1)
  }

  /// Strictly increasing presentation times, and whether some are not the frames' own. If so, decoding must begin at
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

  /// The time before which a decoder may drop frames, because the stream does not begin with a keyframe or because its
  /// first keyframe has leading frames; `nil` if the stream begins cleanly.
  private func undecodedHeadBound() -> Int64? {
    guard let first = packets.firstIndex(where: \.isKey), let key = packets[first].time else {
      return Int64.max
    }
    let later = packets[(first + 1)...].first { $0.isKey && ($0.time ?? key) > key }?.time
    let leading = packets.contains { $0.isPresented && ($0.time ?? key) < key }
    return first > 0 || leading ? (later ?? Int64.max) : nil
  }

  /// The last frame's length: its packet's, if the lengths of packets match the distances of frames; otherwise the last
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

  /// The keyframes that share their time with no other frame: seeking to a shared time might find either frame.
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
      if packets[place].role.isReference { left -= 1 }
      place += 1
    }
    return place < packets.count ? packets[place].time : nil
  }

  /// The damaged parts of the stream: the given frames, which are missing, the frames of damaged packets, and those that
  /// may be predicted from them; `nil` if there are none.
  func damage(in table: FrameTable, missing: [Int64]) -> [DamagedRange]? {
    guard !missing.isEmpty || packets.contains(where: { $0.damage != nil }) else { return nil }
    var ranges: [DamagedRange] = []
    var damaged = damagedFrames(table)
    damaged += missing.map { (time: $0, kind: DamagedRange.Kind.missing) }
    damaged.sort { $0.time < $1.time }
    for (time, kind) in damaged {
      let number = table.frame(at: time)
      let start = table.times[number]
      let end = number + 1 < table.times.count ? table.times[number + 1] : table.end
      guard let last = ranges.last, last.end >= start else {
        ranges.append(DamagedRange(kind: kind, start: start, end: end))
        continue
      }
      // Two packets may hold the fields of one frame.
      guard last.end == start else { continue }
      if last.kind == kind {
        ranges[ranges.count - 1].end = end
      } else {
        ranges.append(DamagedRange(kind: kind, start: start, end: end))
      }
    }
    return ranges.isEmpty ? nil : ranges
  }

  /// The presented frames of damaged packets and those that may be predicted from them: the frames that are decoded after
  /// a broken packet and before the next keyframe at which decoding can start, and that keyframe's leading frames. Only
  /// packets of H.264 and H.265 are known to be broken, and those codecs predict frames.
  private func damagedFrames(_ table: FrameTable) -> [(time: Int64, kind: DamagedRange.Kind)] {
    let starts = Set(table.starts.map(\.time))
    var frames: [(time: Int64, kind: DamagedRange.Kind)] = []
    /// The time before which a frame may be predicted from a broken packet; `nil` if there was none.
    var bound: Int64?
    for packet in packets {
      if let time = packet.time, starts.contains(time) { bound = bound == Int64.max ? time : nil }
      if packet.damage == .broken { bound = Int64.max }
      guard packet.isPresented, let time = packet.time else { continue }
      let isPredicted = bound.map { time < $0 } ?? false
      if let kind = packet.damage ?? (isPredicted ? DamagedRange.Kind.broken : nil) {
        frames.append((time: time, kind: kind))
      }
    }
    return frames
  }
}
