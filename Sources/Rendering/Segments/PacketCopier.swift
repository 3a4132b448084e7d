import Crypto
import Media
import Planning
import Timeline

/// Copies a source's packets into a chunk, or refers to them, and reads no others. Frames that follow the first packet
/// but are presented before it are left out.
struct PacketCopier {
  private let segment: SegmentDescription
  private let source: SourceStream
  private let part: CopiedPart
  /// The source's time of each output frame.
  private let times: [Int64]

  /// Creates a copier for a validated segment.
  ///
  /// - Throws: ``RenderingError`` with code `invalidDescription` if the segment shows anything but frames of one
  ///   source.
  init(_ segment: SegmentDescription, _ part: CopiedPart) throws {
    guard segment.sources.indices.contains(part.source), part.delay >= 0,
      segment.slices.allSatisfy({ slice in
        slice.layers.count == 1 && slice.overlay == nil && slice.layers[0].source == part.source
      })
    else {
      throw RenderingError(
        .invalidDescription,
        "the segment of frames \(segment.first) to \(segment.end) is malformed: it must copy frames"
          + " of exactly one source")
    }
    self.segment = segment
    self.part = part
    source = segment.sources[part.source]
    times = segment.slices.flatMap { $0.layers[0].frameTimes }
  }

  /// Decodes the copied frames to verify them, if the plan says so.
  ///
  /// - Returns: the damaged frames, if the project conceals damage.
  /// - Throws: `MediaError` with code `frameDamaged` or `frameMissing` if the project does not.
  func verify(
    open: (SourceStream) throws -> any ByteSource, progress: (Int) throws -> Bool
  ) throws -> [Concealment] {
    guard part.isVerified == true else { return [] }
    let damage = DamageLog()
    let reader = try FrameReader(
      source: try open(source), named: source.name, stream: source.stream, deinterlaces: false,
      onDamage: segment.onDamage ?? .fail, origin: source.start ?? .zero
    ) { [source] in damage.note(source, at: $0) }
    for (place, time) in times.enumerated() {
      damage.frame = place
      do {
        _ = try reader.frame(at: time)
      } catch var error as MediaError where [.frameDamaged, .frameMissing].contains(error.code) {
        error.problem += " (output frame \(segment.first + place))"
        throw error
      }
      guard try progress(place + 1) else { throw stopped }
    }
    return damage.concealments
  }

  /// Writes the chunk to a new file at `path`.
  ///
  /// - Throws: `MediaError` if the packets do not match the media index.
  func copy(
    to path: String, open: (SourceStream) throws -> any ByteSource,
    progress: (Int) throws -> Bool
  ) throws -> RenderedChunk {
    let file = try open(source)
    let demuxer = try Demuxer(source: file, named: source.name)
    guard demuxer.streams.indices.contains(source.stream.streamIndex) else { throw missing }
    let stream = demuxer.streams[source.stream.streamIndex]
    demuxer.select(streams: [stream.index])
    let packet = try Packet()
    try seek(demuxer, packet, stream: stream.index)
    var rewriter = try PacketRewriter(
      stream.parameters, from: packet, named: source.name, x264Build: source.stream.x264Build,
      references: part.references)
    let parameters = try StreamParameters(copying: stream.parameters)
    try parameters.setParameterSets(rewriter.record)
    if segment.video.codec != .prores { parameters.setCodecTag(nil) }
    let refers = part.refersToSource == true
    let muxer = try Muxer(
      path: path, format: segment.video.codec == .prores ? "mov" : "mp4",
      referringTo: refers ? source.asset : nil)
    let output = try muxer.addStream(
      parameters, timeBase: segment.frameDuration, hdr: stream.hdr)
    try muxer.start()
    var places: [Int64: Int] = [:]
    for (place, time) in times.enumerated() { places[time] = place }
    for count in 0..<times.count {
      if count > 0 { try read(demuxer, packet, stream: stream.index) }
      if count == 1 {
        while let time = packet.time, time < times[0] {
          try rewriter.leaveOut(packet)
          try read(demuxer, packet, stream: stream.index)
        }
      }
      guard let place = packet.time.flatMap({ places.removeValue(forKey: $0) }),
        place >= count - part.delay
      else { throw missing }
      let copy = try rewriter.rewrite(packet)
      guard count > 0 || copy.isKey else { throw missing }
      copy.timeBase = segment.frameDuration
      copy.time = Int64(place)
      copy.decodingTime = Int64(count - part.delay)
      copy.duration = 1
      if refers {
        try muxer.write(copy, to: output, madeFrom: packet, in: file)
      } else {
        try muxer.write(copy, to: output)
      }
      guard try progress(count + 1) else { throw stopped }
    }
    return RenderedChunk(
      frameCount: times.count, content: try muxer.finish(),
      parameterSets: rewriter.parameterSets)
  }

  /// Reads the keyframe at which the part begins.
  private func seek(_ demuxer: Demuxer, _ packet: Packet, stream: Int) throws {
    // A decoder may need what earlier packets contain to start here; the copy contains that.
    guard let keyframe = source.stream.frames.keyframes.first(where: { $0.time == times[0] })
    else { throw missing }
    try demuxer.seek(stream: stream, to: keyframe)
    repeat {
      try read(demuxer, packet, stream: stream)
    } while packet.time != keyframe.time || !packet.isKey
  }

  private func read(_ demuxer: Demuxer, _ packet: Packet, stream: Int) throws {
    repeat {
      guard try demuxer.read(into: packet) == .packet else { throw missing }
    } while packet.streamIndex != stream
  }

  private var stopped: RenderingError {
    RenderingError(
      .stopped, "the segment of frames \(segment.first) to \(segment.end) was stopped")
  }

  private var missing: MediaError {
    MediaError(
      .frameMissing,
      "the packets of frames \(segment.first) to \(segment.end) do not match the file's media index",
      on: source.name, remedy: "the file is damaged or was changed; copy it again")
  }
}
