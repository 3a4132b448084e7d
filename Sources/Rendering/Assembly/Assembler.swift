import Glibc
import Media
import Timeline

/// Appends chunks in order, muxes the mix in between, and finishes the file.
///
/// The file depends on the chunks' and the mix's bytes alone: video comes in runs of half a second, each followed by
/// the sound up to its end, whenever the chunks arrive. A chunk is checked whole before any of it is written, so that
/// after an error another one for the same segment can be appended. Blocking, and not thread-safe.
public final class Assembler {
  private let facts: AssemblyFacts
  private let mix: MixReader?
  private let framesPerRun: Int
  private var output: Output?
  private var appendedFrames = 0
  private var appendedChunks = 0

  /// What is open once the first chunk has said how the video is coded.
  private struct Output {
    var muxer: Muxer
    var video: Int
    var audio: Int?
    var parameterSets: [UInt8]
    var delay: Int
    /// For starting the disk early on what has been written.
    var descriptor: Descriptor
  }

  /// An assembler of one file; the file is created with the first chunk.
  ///
  /// - Throws: ``AssemblyError`` with code `invalidSettings` or `badMix`, or `MediaError` where the mix cannot be read.
  public init(_ facts: AssemblyFacts) throws {
    guard facts.frameCount > 0, facts.frameDuration > .zero else {
      throw AssemblyError(
        .invalidSettings, "a file of \(facts.frameCount) frames cannot be made: \(facts.outputPath)"
      )
    }
    self.facts = facts
    mix = try facts.audioPath.map { try MixReader(path: $0) }
    let half = try RationalTime(1, 2).ticks(of: facts.frameDuration)
    framesPerRun = Int(max(min(half, 1000), 1))
  }

  /// Appends the next segment's chunk.
  ///
  /// - Throws: ``AssemblyError`` with code `badChunk`, the file being as before; or `MediaError` with code
  ///   `writeFailed`, after which the file is of no use.
  public func append(chunk path: String, expecting frameCount: Int) throws {
    guard frameCount > 0, appendedFrames + frameCount <= facts.frameCount else {
      throw AssemblyError(
        .badChunk, segment: appendedChunks,
        "segment \(appendedChunks) would make \(appendedFrames + frameCount) frames of "
          + "\(facts.frameCount): append each segment once")
    }
    let chunk = try ChunkReader(
      path: path, segment: appendedChunks, frameCount: frameCount,
      frameDuration: facts.frameDuration, size: facts.renderSize)
    let output = try output ?? start(with: chunk)
    guard chunk.parameters.parameterSets == output.parameterSets else {
      throw ChunkReader.bad(appendedChunks, "has other parameter sets than the first")
    }
    guard chunk.delay == output.delay else {
      throw ChunkReader.bad(
        appendedChunks, "delays frames by \(chunk.delay), not by \(output.delay)")
    }
    let offset = Int64(appendedFrames) * chunk.ticksPerFrame
    try chunk.forEachPacket { packet in
      packet.time = packet.time.map { $0 + offset }
      packet.decodingTime = packet.decodingTime.map { $0 + offset }
      try output.muxer.write(packet, to: output.video)
      appendedFrames += 1
      if appendedFrames % framesPerRun == 0 {
        try writeMix(before: try facts.frameDuration * Int64(appendedFrames), to: output)
      }
    }
    appendedChunks += 1
    output.descriptor.startWriting()
  }

  /// Writes what is left of the mix and the index, and hands the file to the disk.
  ///
  /// - Throws: ``AssemblyError`` with code `incomplete`, or `MediaError` with code `writeFailed`.
  public func finish() throws {
    guard let output, appendedFrames == facts.frameCount else {
      throw AssemblyError(
        .incomplete,
        "\(appendedFrames) of \(facts.frameCount) frames were appended: \(facts.outputPath)")
    }
    try writeMix(before: nil, to: output)
    try output.muxer.finish(synchronised: true)
    self.output = nil
  }

  private func writeMix(before end: RationalTime?, to output: Output) throws {
    guard let mix, let audio = output.audio else { return }
    try mix.forEachPacket(before: end) { try output.muxer.write($0, to: audio) }
  }

  /// Ticks a second in which the file's edit lists count: whole frames and whole samples, where that is not excessive,
  /// else whole samples, or whole frames of a silent file.
  private var movieTimeScale: Int64 {
    let frames = facts.frameDuration.denominator
    guard let samples = mix?.timeBase.denominator else { return frames }
    var (a, b) = (frames, samples)
    while b != 0 { (a, b) = (b, a % b) }
    let (both, overflow) = (frames / a).multipliedReportingOverflow(by: samples)
    return overflow || both > 10_000_000 ? samples : both
  }

  private func start(with chunk: ChunkReader) throws -> Output {
    var options = ["movie_timescale": "\(movieTimeScale)"]
    if facts.optimizeForNetworkUse {
      let bound = MovieIndexBound.bytes(
        frameCount: facts.frameCount, parameterSetBytes: chunk.parameters.parameterSets.count,
        audioPackets: mix?.packetCount ?? 0, audioRuns: facts.frameCount / framesPerRun + 2,
        audioBytes: mix?.byteCount ?? 0)
      options["moov_size"] = "\(bound)"
    }
    let muxer = try Muxer(
      path: facts.outputPath, format: facts.fileType.rawValue, options: options)
    let parameters = try StreamParameters(copying: chunk.parameters)
    parameters.setCodecTag(nil)
    let video = try muxer.addStream(
      parameters, timeBase: facts.frameDuration,
      frameRate: try RationalTime(1) / facts.frameDuration)
    var audio: Int?
    if let mix {
      let parameters = try StreamParameters(copying: mix.parameters)
      parameters.setCodecTag(nil)
      audio = try muxer.addStream(parameters, timeBase: mix.timeBase)
    }
    try muxer.start()
    let started = Output(
      muxer: muxer, video: video, audio: audio, parameterSets: chunk.parameters.parameterSets,
      delay: chunk.delay, descriptor: Descriptor(path: facts.outputPath))
    output = started
    return started
  }
}

/// The output file once more, to have the disk begin writing while chunks are still rendered: what is left to write
/// when the last one arrives is then little.
private final class Descriptor {
  private let descriptor: Int32

  init(path: String) { descriptor = open(path, O_WRONLY | O_CLOEXEC) }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Starts writing, and does not wait: Linux begins with dirty pages when told that they are not needed. A hint:
  /// failure only makes finishing slower.
  func startWriting() {
    _ = posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED)
  }
}
