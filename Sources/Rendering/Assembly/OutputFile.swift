import Glibc
import Media
import Planning
import Timeline

/// The file that is open once it is known how its video is coded.
final class OutputFile {
  let muxer: Muxer
  /// The number of the stream of pictures; of no meaning in a file without.
  let video: Int
  /// The number of the stream of sound.
  let audio: Int?
  /// Ticks by which sound is written later than it is heard: Matroska notes the delay of Opus, and players take that
  /// off every time. Of other codecs it notes none.
  private let soundShift: Int64
  /// Those that all chunks have, where none is copied.
  private let parameterSets: [UInt8]
  /// The sample description for chunks from several encoders.
  private let description: SampleDescription?
  /// Packets from the first decoded to the first presented, at most.
  let delay: Int
  var budget: LengthBudget?
  /// For starting the disk early on what has been written.
  private let descriptor: Int32

  /// Begins the file.
  ///
  /// - Parameters:
  ///   - chunk: the first one; `nil` for a file of sound alone.
  ///   - audioRuns: how often sound is written between pictures.
  init(_ facts: AssemblyFacts, mix: MixReader?, chunk: ChunkReader?, audioRuns: Int) throws {
    let fileType = facts.fileType
    let description = try facts.sampleDescription
    let sets = description?.record ?? chunk?.parameters.parameterSets ?? []
    // A file that is limited holds no more frames than would each take as little as a bare index entry does.
    let frameLimit =
      facts.fileLengthLimit.map { min(facts.frameCount, $0 / 64) } ?? facts.frameCount
    let room = Self.indexRoom(
      facts, frames: frameLimit, sets: sets.count, mix: mix, audioRuns: audioRuns)
    var options = fileType.muxerOptions
    if !fileType.isMatroska {
      let scale = Self.movieTimeScale(facts, hasPictures: chunk != nil, mix: mix)
      options["movie_timescale"] = "\(scale)"
      // A description of AV1 without a sequence header says what is known of color, be it nothing (AV1 Codec ISO Media
      // File Format Binding, 2.3.4).
      if facts.codec == .av1, description?.isComplete == false {
        options["movflags"] = "+write_colr"
      }
    }
    if facts.optimizeForNetworkUse { options[fileType.indexRoomOption] = "\(room)" }
    muxer = try Muxer(path: facts.outputPath, format: fileType.muxer, options: options)
    if let chunk {
      let parameters = try StreamParameters(copying: chunk.parameters)
      if description != nil { try parameters.setParameterSets(sets) }
      facts.codec.setTag(
        of: parameters, in: fileType, hasOtherSets: description?.isComplete == false)
      if let ratio = facts.carried?.pixelAspectRatio { parameters.setPixelAspectRatio(ratio) }
      video = try muxer.addStream(
        parameters, timeBase: facts.frameDuration,
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
      let packets = frameLimit + (mix?.packetCount ?? 0)
      let heads = fileType.isMatroska ? IndexBound.blocks(min(packets, limit / 64)) : 256
      return LengthBudget(limit: limit, frameLimit: frameLimit, overhead: room + heads)
    }
    descriptor = open(facts.outputPath, O_WRONLY | O_CLOEXEC)
  }

  /// Whether chunks coded so can be appended.
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

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Has the disk begin writing while chunks are still rendered: what is left to write when the last one arrives is
  /// then little. Does not wait: Linux begins with dirty pages when told that they are not needed. A hint: failure
  /// only makes finishing slower.
  func startWriting() {
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }

  /// The most bytes of the index.
  private static func indexRoom(
    _ facts: AssemblyFacts, frames: Int, sets: Int, mix: MixReader?, audioRuns: Int
  ) -> Int {
    if facts.fileType.isMatroska {
      // Without pictures there is a cue for every cluster of sound, a few a second.
      return IndexBound.cues(frameCount: max(frames, (mix?.packetCount ?? 0)))
    }
    let metadata = facts.metadata ?? ExportMetadata()
    let texts =
      [metadata.title, metadata.artist, metadata.copyright, metadata.creationDate]
      .compactMap(\.self) + (facts.chapters ?? []).map(\.title)
    return MovieIndexBound.bytes(
      frameCount: frames, parameterSetBytes: sets, audioPackets: mix?.packetCount ?? 0,
      audioRuns: audioRuns, audioBytes: mix?.byteCount ?? 0,
      chapters: facts.chapters?.count ?? 0, textBytes: texts.reduce(0) { $0 + $1.utf8.count })
  }

  /// Ticks a second in which the file's edit lists count: whole frames and whole samples, where that is not excessive,
  /// else whole samples, or whole frames of a silent file.
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
