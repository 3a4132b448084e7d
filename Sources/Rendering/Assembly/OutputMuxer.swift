import Media
import Planning
import Timeline

/// The output file, which is opened once the coding parameters of its video are known.
final class OutputMuxer {
  let muxer: Muxer
  /// The index of the video stream; meaningless in an audio-only file.
  let video: Int
  /// The index of the audio stream, if there is one.
  let audio: Int?
  /// The ticks by which audio times are shifted: Matroska files state the delay of Opus, which players subtract from
  /// every time. For other codecs, they state none.
  private let soundShift: Int64
  /// The parameter sets that all chunks share, if none is copied.
  private let parameterSets: [UInt8]
  /// The sample description for chunks from several encoders.
  private let description: SampleDescription?
  /// The maximum number of packets from the first decoded to the first presented.
  let delay: Int
  var budget: LengthBudget?

  /// Creates the file and writes its header.
  ///
  /// - Parameters:
  ///   - chunk: the first chunk; `nil` for an audio-only file.
  ///   - audioRuns: the number of runs of sound that are written between pictures.
  init(_ facts: AssemblyFacts, mix: MixReader?, chunk: ChunkReader?, audioRuns: Int) throws {
    let fileType = facts.fileType
    let description = try facts.sampleDescription
    let sets = description?.record ?? chunk?.parameters.parameterSets ?? []
    // A limited file has room for at most as many frames as would fit if each took only the bytes of an index entry.
    let frameLimit =
      facts.fileLengthLimit.map { min(facts.frameCount, $0 / 64) } ?? facts.frameCount
    let room = Self.indexRoom(
      facts, frames: frameLimit, sets: sets.count, mix: mix, audioRuns: audioRuns)
    var options = fileType.muxerOptions
    if !fileType.isMatroska {
      let scale = Self.movieTimeScale(facts, hasPictures: chunk != nil, mix: mix)
      options["movie_timescale"] = "\(scale)"
      // A sample description of AV1 without a sequence header must state the color, even if it is unknown (AV1 Codec
      // ISO Media File Format Binding, 2.3.4).
      if facts.codec == .av1, description?.isComplete == false {
        options["movflags"] = "+write_colr"
      }
    }
    if facts.optimizeForNetworkUse { options[fileType.indexRoomOption] = "\(room)" }
    muxer = try Muxer(
      path: facts.outputPath, format: fileType.muxer, options: options, writesBehind: true)
    if let chunk {
      video = try muxer.addStream(
        facts.parameters(of: chunk, in: fileType, description), timeBase: facts.frameDuration,
        frameRate: try RationalTime(1) / facts.frameDuration, hdr: chunk.hdr,
        orientation: facts.carried?.orientation ?? .identity,
        cleanAperture: facts.cleanAperture)
    } else {
      video = 0
    }
    var audio: Int?
    var soundShift: Int64 = 0
    if let mix {
      let parameters = try StreamParameters(copying: mix.parameters)
      parameters.setCodecTag(nil)
      if fileType.isMatroska {
        parameters.setEncoderDelay(mix.delay)
        if parameters.codec == "opus" { soundShift = Int64(mix.delay) }
      }
      audio = try muxer.addStream(parameters, timeBase: mix.timeBase)
    }
    self.audio = audio
    self.soundShift = soundShift
    let duration =
      chunk == nil
      ? try mix.map { try $0.timeBase * $0.length } ?? .zero
      : try facts.frameDuration * Int64(facts.frameCount)
    try muxer.describe(facts, duration: duration)
    try muxer.start()
    parameterSets = sets
    self.description = description
    delay = facts.carried?.delay ?? chunk?.delay ?? 0
    budget = facts.fileLengthLimit.map { limit in
      let packets = frameLimit + (mix?.packetLimit ?? 0)
      let heads = fileType.isMatroska ? IndexBound.blocks(min(packets, limit / 64)) : 256
      return LengthBudget(limit: limit, frameLimit: frameLimit, overhead: room + heads)
    }
  }

  /// Whether chunks with these parameters can be appended.
  func takes(_ parameters: StreamParameters) -> Bool {
    description?.holds(parameters) ?? (parameters.parameterSets == parameterSets)
  }

  /// Writes a packet of the mix.
  func writeSound(_ packet: Packet) throws {
    guard let audio else { return }
    packet.time = packet.time.map { $0 + soundShift }
    packet.decodingTime = packet.decodingTime.map { $0 + soundShift }
    try muxer.write(packet, to: audio)
  }

  /// The maximum size of the index in bytes.
  private static func indexRoom(
    _ facts: AssemblyFacts, frames: Int, sets: Int, mix: MixReader?, audioRuns: Int
  ) -> Int {
    if facts.fileType.isMatroska {
      // Without pictures, there is a cue for every cluster of sound, a few per second.
      return IndexBound.cues(frameCount: max(frames, mix?.packetLimit ?? 0))
    }
    let metadata = facts.metadata ?? ExportMetadata()
    let texts =
      [metadata.title, metadata.artist, metadata.copyright, metadata.creationDate]
      .compactMap(\.self) + (facts.chapters ?? []).map(\.title)
    return MovieIndexBound.bytes(
      frameCount: frames, parameterSetBytes: sets, audioPackets: mix?.packetLimit ?? 0,
      audioRuns: audioRuns, audioBytes: mix?.byteLimit ?? 0,
      chapters: facts.chapters?.count ?? 0, textBytes: texts.reduce(0) { $0 + $1.utf8.count })
  }

  /// The time scale of the file's edit lists, in ticks per second. It expresses whole frames and whole samples if at
  /// most 10 million ticks per second suffice; otherwise only whole samples. A silent file needs only whole frames.
  private static func movieTimeScale(
    _ facts: AssemblyFacts, hasPictures: Bool, mix: MixReader?
  ) -> Int64 {
    let frames = facts.frameDuration.denominator
    guard let samples = mix?.timeBase.denominator else { return frames }
    guard hasPictures else { return samples }
    var (a, b) = (frames, samples)
    while b != 0 { (a, b) = (b, a % b) }
    let (both, overflow) = (frames / a).multipliedReportingOverflow(by: samples)
    return overflow || both > 10_000_000 ? samples : both
  }
}
