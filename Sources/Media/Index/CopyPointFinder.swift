import CFFmpeg
import Timeline

/// Finds where a stream's packets can be cut without re-encoding.
struct CopyPointFinder {
  let scan: PacketScan
  let stream: Demuxer.Stream
  let table: FrameTable
  /// The packets. Those whose frames decoders drop at the start of the stream, because frames before it are missing,
  /// count as not presented.
  private let packets: [PacketScan.VideoPacket]

  /// Creates a finder for a scanned stream whose frames are known.
  init(scan: PacketScan, stream: Demuxer.Stream, table: FrameTable) {
    (self.scan, self.stream, self.table) = (scan, stream, table)
    packets = scan.packets.map { packet in
      guard let time = packet.time, let first = table.times.first, time < first else {
        return packet
      }
      var packet = packet
      packet.isPresented = false
      return packet
    }
  }

  /// The codecs whose packets are copied.
  static let codecs: Set = ["h264", "hevc", "av1", "vp9", "prores"]

  /// The points; `nil` if packets and frames do not correspond one to one.
  func points() -> CopyPoints? {
    let parameters = stream.parameters
    guard Self.codecs.contains(parameters.codec), !table.times.isEmpty else { return nil }
    // VP9's alpha is stored beside its packets.
    guard parameters.codec != "vp9" || !parameters.pixelFormat.hasAlpha else { return nil }
    let headers = scan.temporalUnits?.headers(size: parameters.size)
    guard parameters.codec != "av1" || headers != nil else { return nil }
    guard let keyframes = scan.keyframes, keepsPictures(keyframes) else { return nil }
    if UnitLayout(codec: parameters.codec, parameterSets: parameters.parameterSets) != nil {
      let sets = ParameterSets(codec: parameters.codec, record: parameters.parameterSets)
      guard sets?.record(format: parameters.pixelFormat) != nil else { return nil }
    }
    let times = packets.filter(\.isPresented).compactMap(\.time)
    guard times.count == packets.count(where: \.isPresented), times.sorted() == table.times else {
      return nil
    }
    let shown = longestShownRun()
    let clean = cleanCuts()
    var (starts, ends, delay) = ([Int](), [Int](), 0)
    var references: [Int: [Int]] = [:]
    for place in shown {
      let before = clean.count[place]
      if let time = packets[place].time { delay = max(delay, before - table.frame(at: time)) }
      guard clean.isCut[place] else { continue }
      if place > shown.lowerBound { ends.append(before) }
      if let leading = leadingCount(after: place, clean.earliest) {
        starts.append(before + leading)
        references[before + leading] = scan.openGroups?.references(before: place)
      }
    }
    if clean.isCut[shown.upperBound] { ends.append(clean.count[shown.upperBound]) }
    guard !starts.isEmpty, !ends.isEmpty else { return nil }
    return CopyPoints(
      starts: starts, references: references, ends: ends, delay: delay, profile: proResProfile,
      parameterSetIDs: keyframes.parameterSetIDs,
      sequenceHeaders: headers?.map(\.bytes),
      chromaPosition: headers?.map(\.form.chromaPosition).max(),
      peakBitRate: PeakBitRate.measure(packets, timeBase: stream.timeBase, end: table.end))
  }

  /// The number of frames that a copy from a packet on leaves out, because they follow it but are presented before it;
  /// `nil` if no copy can start there.
  ///
  /// A copy starts with an IDR picture, or with another picture that is rewritten to one that resets the decoder
  /// (``UnitRewriter``): any random access picture of H.265, or an intra picture of H.264. The frames that are left out
  /// may be predicted from frames before it.
  ///
  /// - Parameter earliest: for each place, when the earliest of the frames after it is presented.
  private func leadingCount(after place: Int, _ earliest: [Int64]) -> Int? {
    guard let time = packets[place].time else { return nil }
    if packets[place].isReset, time == earliest[place] { return 0 }
    let isHEVC = stream.parameters.codec == "hevc"
    guard packets[place].isKey, scan.keyframes?.startWithSets(at: place) == .exact,
      isHEVC || scan.openGroups?.references(before: place) != nil
    else { return nil }
    let leading = packets[(place + 1)...].prefix { packet in
      let isEarlier = packet.time.map { $0 < time } ?? false
      return isEarlier && packet.isPresented && !packet.role.carriesSets
        && (packet.role.isLeading || !isHEVC)
    }
    return earliest[place + 1 + leading.count] > time ? leading.count : nil
  }

  /// Whether copied packets decode to the pictures that they have in the stream.
  ///
  /// A copy carries the parameter sets that the container declares, so no picture may rely on others from a packet
  /// before its keyframe.
  private func keepsPictures(_ keyframes: KeyframeScan) -> Bool {
    keyframes.areSetsEnough
      && packets.indices.allSatisfy {
        !packets[$0].isReset || keyframes.startWithSets(at: $0) == .exact
      }
  }

  /// The longest run of packets that are all presented. A container may hide frames at both ends.
  private func longestShownRun() -> Range<Int> {
    var (best, start) = (0..<0, 0)
    for place in 0...packets.count where place == packets.count || !packets[place].isPresented {
      if place - start > best.count { best = start..<place }
      start = place + 1
    }
    return best
  }

  /// For each place between packets: how many frames come before it, whether all of those are presented before all that
  /// come after, and when the earliest of the frames after it is presented.
  private func cleanCuts() -> (count: [Int], isCut: [Bool], earliest: [Int64]) {
    var earliest = [Int64](repeating: .max, count: packets.count + 1)
    for place in packets.indices.reversed() {
      let own = packets[place].isPresented ? packets[place].time ?? .max : .max
      earliest[place] = min(earliest[place + 1], own)
    }
    var (count, isCut) = ([Int](), [Bool]())
    var (shown, latest) = (0, Int64.min)
    for place in 0...packets.count {
      count.append(shown)
      isCut.append(latest < earliest[place])
      guard place < packets.count, packets[place].isPresented else { continue }
      latest = max(latest, packets[place].time ?? .min)
      shown += 1
    }
    return (count, isCut, earliest)
  }

  /// The profile by its name in `prores_ks`, from the code of the sample description (Apple ProRes in QuickTime).
  private var proResProfile: String? {
    guard stream.parameters.codec == "prores" else { return nil }
    return [
      "apco": "proxy", "apcs": "lt", "apcn": "standard", "apch": "hq", "ap4h": "4444",
      "ap4x": "4444xq",
    ][stream.parameters.codecTag]
  }
}
