import CFFmpeg
import Timeline

/// Collects facts about a stream in one pass over its packets.
struct PacketScan {
  /// A packet of a video stream.
  struct VideoPacket {
    var time: Int64?
    var decodingTime: Int64?
    var duration: Int64
    var position: Int64
    var byteCount: Int
    var isKey: Bool
    /// Whether decoding it yields a frame that is presented.
    var isPresented: Bool
    /// Whether it is a keyframe that resets the decoder.
    var isReset = false
    /// Its picture's relation to others.
    var role = PictureRole()
    /// The damage that its structure shows.
    var damage: DamagedRange.Kind?
  }

  let kind: MediaKind
  /// Whether the container is Ogg.
  let isOgg: Bool
  private(set) var packets: [VideoPacket] = []
  private var audioStart: Int64?
  private var audioEnd: Int64?
  private var audioDelay: Int?
  private var isFirst = true
  private var lossless: LosslessLength??
  /// The length of the file in bytes.
  private let fileSize: Int64
  private var audioDamage: [DamagedRange] = []
  private var layout: UnitLayout??
  /// The common properties of AV1 packets.
  private(set) var temporalUnits: TemporalUnitScan?
  /// Determines where a decoder can start.
  private(set) var keyframes: KeyframeScan?
  /// Determines which intra pictures of H.264 can be rewritten so that they reset the decoder.
  private(set) var openGroups: OpenGroupScan?
  /// The Dolby Vision metadata in the first packets, if the container has no configuration.
  private(set) var dolbyVision: DolbyVision.Metadata?
  /// The end of the stream, if the file is cut short before it.
  var missingEnd: MissingEnd.OfStream?
  /// Whether the container is AVI. libav returns its last packet even if the file ends within it.
  private let isAVI: Bool
  /// The number of packets that are searched for Dolby Vision metadata.
  private static let searchedPackets = 16

  init(kind: MediaKind, format: String, fileSize: Int64) {
    self.kind = kind
    self.fileSize = fileSize
    isOgg = format == "ogg"
    isAVI = format == "avi"
  }

  var isEmpty: Bool { isFirst }

  /// The end of the packets that were read, in ticks; `nil` if their times are unknown.
  var end: Int64? {
    guard kind == .video else { return audioEnd }
    return packets.compactMap { packet in
      (packet.time ?? packet.decodingTime).map { $0 + max(packet.duration, 0) }
    }.max()
  }

  mutating func add(_ packet: Packet, of stream: Demuxer.Stream) {
    switch kind {
    case .video:
      let isReset = resets(packet, of: stream)
      var keyframes = keyframes ?? KeyframeScan(stream.parameters)
      self.keyframes = nil
      let role = keyframes.add(packet, resetsAV1: isReset)
      if packets.isEmpty { openGroups = OpenGroupScan(stream.parameters) }
      openGroups?.add(
        packet,
        isStart: packet.isKey && !isReset && keyframes.startWithSets(at: packets.count) == .exact)
      self.keyframes = keyframes
      findDolbyVision(in: packet, of: stream)
      packets.append(
        VideoPacket(
          time: packet.time, decodingTime: packet.decodingTime, duration: packet.duration,
          position: packet.position, byteCount: packet.count, isKey: packet.isKey,
          isPresented: !packet.isDiscarded
            && HiddenFrames.isShown(packet, codec: stream.parameters.codec),
          isReset: isReset, role: role, damage: damage(of: packet, of: stream)))
    case .audio: addAudio(packet, of: stream)
    case .other: break
    }
    isFirst = false
  }

  /// The damage that a packet's structure shows.
  private mutating func damage(
    of packet: Packet, of stream: Demuxer.Stream
  ) -> DamagedRange.Kind? {
    if isMissing(packet) { return .missing }
    guard packet.count > 0 else { return nil }
    return unitLayout(of: stream)?.isConsistent(packet) == false ? .broken : nil
  }

  /// Whether the file ends before a packet or within it.
  private func isMissing(_ packet: Packet) -> Bool {
    guard packet.position >= 0 else { return false }
    let start = fileSize - Int64(packet.count)
    return packet.position > start || isAVI && packet.isCorrupt && packet.position == start
  }

  private mutating func findDolbyVision(in packet: Packet, of stream: Demuxer.Stream) {
    guard stream.parameters.codec == "hevc", stream.dolbyVision == nil,
      packets.count < Self.searchedPackets, dolbyVision == nil || dolbyVision == .unknown,
      let layout = unitLayout(of: stream)
    else { return }
    dolbyVision = DolbyVision.Metadata(in: packet, layout: layout) ?? dolbyVision
  }

  /// Whether a packet is a keyframe that resets the decoder.
  private mutating func resets(_ packet: Packet, of stream: Demuxer.Stream) -> Bool {
    if stream.parameters.codec == "av1" {
      if temporalUnits == nil { temporalUnits = TemporalUnitScan(stream.parameters) }
      let isReset = temporalUnits?.add(packet) ?? false
      return packet.isKey && isReset
    }
    return packet.isKey && (unitLayout(of: stream)?.isReset(packet) ?? true)
  }

  /// The layout of units in a stream's packets, looked up once.
  private mutating func unitLayout(of stream: Demuxer.Stream) -> UnitLayout? {
    if let layout { return layout }
    let parameters = stream.parameters
    let found = UnitLayout(codec: parameters.codec, parameterSets: parameters.parameterSets)
    layout = .some(found)
    return found
  }

  private mutating func addAudio(_ packet: Packet, of stream: Demuxer.Stream) {
    let skipped = packet.skippedSamples ?? (0, 0)
    if audioDelay == nil { audioDelay = skipped.start }
    guard let time = packet.time ?? audioEnd else { return }
    let start = time + stream.ticks(ofSamples: skipped.start)
    // In Ogg, a packet's length excludes the padding; elsewhere it includes it.
    let padding = isOgg ? 0 : stream.ticks(ofSamples: skipped.end)
    let end = time + max(duration(of: packet, stream), losslessTicks(of: packet, stream)) - padding
    guard end > start, !packet.isDiscarded else { return }
    if isMissing(packet) {
      if let last = audioDamage.last, last.end >= start {
        audioDamage[audioDamage.count - 1].end = max(last.end, end)
      } else {
        audioDamage.append(DamagedRange(kind: .missing, start: start, end: end))
      }
    }
    audioStart = min(audioStart ?? start, start)
    audioEnd = max(audioEnd ?? end, end)
  }

  /// The duration of a lossless audio packet by its own header, in ticks; 0 for other codecs.
  private mutating func losslessTicks(of packet: Packet, _ stream: Demuxer.Stream) -> Int64 {
    let lossless =
      self.lossless
      ?? LosslessLength(
        codec: stream.parameters.codec, parameterSets: stream.parameters.parameterSets)
    self.lossless = .some(lossless)
    guard let lossless else { return 0 }
    return stream.ticks(ofSamples: packet.withUnsafeBytes(lossless.samples))
  }

  /// The packet's length. If a tick is longer than a sample, the number of ticks that cover its samples.
  private func duration(of packet: Packet, _ stream: Demuxer.Stream) -> Int64 {
    let parameters = stream.parameters
    guard parameters.sampleRate > 0,
      let sample = try? RationalTime(1, Int64(parameters.sampleRate)), stream.timeBase > sample,
      case let count = av_get_audio_frame_duration2(parameters.pointer, Int32(packet.count)),
      count > 0, let length = try? sample * Int64(count),
      let ticks = try? length.ticks(of: stream.timeBase, rounding: .up)
    else { return packet.duration }
    return ticks
  }

  /// The audio stream that the packets form; `nil` if none of it is audible.
  ///
  /// - Parameter decodedStart: the time of the first samples that a decoder yields, if any: some codecs hold back their
  ///   first packet, or skip a lead-in that only they know.
  func audioStream(_ stream: Demuxer.Stream, decodedStart: Int64?) throws -> AudioStream? {
    guard let audioStart = decodedStart ?? audioStart, let audioEnd, audioEnd > audioStart,
      stream.parameters.sampleRate > 0
    else { return nil }
    var described = AudioStream(
      streamIndex: stream.index, codec: stream.parameters.codec, timeBase: stream.timeBase,
      sampleRate: stream.parameters.sampleRate, channels: stream.parameters.channels,
      layout: stream.parameters.channelLayoutName, start: audioStart,
      end: max(audioEnd, missingEnd?.ticks ?? audioEnd), encoderDelay: audioDelay ?? 0)
    var damage = audioDamage
    if described.end > audioEnd {
      if let last = damage.last, last.kind == .missing, last.end >= audioEnd {
        damage[damage.count - 1].end = described.end
      } else {
        damage.append(DamagedRange(kind: .missing, start: audioEnd, end: described.end))
      }
    }
    if !damage.isEmpty { described.damage = damage }
    return described
  }
}

extension Demuxer.Stream {
  /// A number of samples in ticks, to the nearest tick.
  fileprivate func ticks(ofSamples count: Int) -> Int64 {
    guard count > 0, parameters.sampleRate > 0,
      let length = try? RationalTime(Int64(count), Int64(parameters.sampleRate)),
      let ticks = try? length.ticks(of: timeBase, rounding: .nearest)
    else { return 0 }
    return ticks
  }
}

extension StreamParameters {
  /// The name of the channel layout, e.g. `5.1`, or of the assumed layout if the file does not state one.
  var channelLayoutName: String {
    var layout = AVChannelLayout()
    defer { av_channel_layout_uninit(&layout) }
    if pointer.pointee.ch_layout.order == AV_CHANNEL_ORDER_UNSPEC {
      layout = .assumed(channels: channels)
    } else {
      av_channel_layout_copy(&layout, &pointer.pointee.ch_layout)
    }
    var name = [CChar](repeating: 0, count: 64)
    av_channel_layout_describe(&layout, &name, name.count)
    return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
