import Crypto
import Glibc
import Media
import Planning
import Timeline

/// Appends chunks in order, muxes the mix in between, and finishes the file.
///
/// The file depends only on the bytes of the chunks and the mix, not on when the chunks arrive: video comes in runs of
/// half a second, each followed by the sound up to its end. Matroska interleaves by time instead, because Chromium does
/// not seek correctly if a cluster contains sound before its first keyframe. A chunk is checked completely before any
/// of it is written, so that after an error another chunk for the same segment can be appended. Blocks; not
/// thread-safe.
public final class Assembler {
  private let facts: AssemblyFacts
  private let open: (Digest) throws -> any ByteSource
  private let mix: MixReader?
  private let framesPerRun: Int
  private var output: OutputMuxer?
  private var appendedFrames = 0
  private var appendedChunks = 0
  /// Whether the file has reached its length limit, so that nothing more is appended.
  public private(set) var isFull = false

  /// Creates an assembler for one file, which is created with the first chunk, or at the end if it has no pictures.
  ///
  /// - Parameter open: opens an asset to which chunks refer. Its bytes must be checked as they are read.
  /// - Throws: ``AssemblyError`` with code `invalidSettings` or `badMix`, or `MediaError` if the mix cannot be read.
  public init(
    _ facts: AssemblyFacts,
    opening open: @escaping (Digest) throws -> any ByteSource = ReferencingByteSource.noFile
  ) throws {
    self.open = open
    let lengthBeforeMix = try facts.lengthBeforeMix
    guard facts.frameCount > 0 || (facts.frameCount == 0 && facts.audioPath != nil),
      facts.soundParts == nil || lengthBeforeMix != nil,
      facts.frameDuration > .zero
    else {
      throw AssemblyError(
        .invalidSettings,
        "a file with \(facts.frameCount) frames cannot be assembled: \(facts.outputPath)")
    }
    self.facts = facts
    if let parts = facts.soundParts, let lengthBeforeMix {
      mix = try MixReader(parts: parts.folder, from: parts.first, for: lengthBeforeMix)
    } else {
      mix = try facts.audioPath.map {
        try MixReader(
          path: $0, blocks: facts.audioBlocks, for: lengthBeforeMix,
          notesSizes: facts.fileLengthLimit != nil)
      }
    }
    let half = try RationalTime(1, 2).ticks(of: facts.frameDuration)
    framesPerRun = Int(max(min(half, 1000), 1))
  }

  /// Adds the next part of a mix that is not finished yet. The parts up to the end of a chunk, or the last one, must be
  /// added before the chunk is appended.
  ///
  /// - Throws: ``AssemblyError`` with code `badMix`.
  public func add(_ part: SoundPart) throws {
    guard let mix else {
      throw AssemblyError(.badMix, "the file has no sound: \(facts.outputPath)")
    }
    try mix.add(part)
  }

  /// Appends the next segment's chunk. If it exceeds the file's limit, the rest of it and everything after it is left
  /// out.
  ///
  /// - Parameter sha256: the digest that the appended bytes must have.
  /// - Throws: ``AssemblyError`` with code `badChunk`, `damagedChunk` or `readFailed`, which leaves the file unchanged;
  ///   or ``AssemblyError`` with code `unwritableChunk` or `MediaError`, after which the file is unusable. The latter is
  ///   about an asset to which the chunk refers, or has the code `writeFailed`. A thread writes to the file, so
  ///   `writeFailed` may come from an earlier chunk.
  public func append(
    chunk path: String, sha256: Digest? = nil, expecting frameCount: Int
  ) throws {
    if isFull { return }
    guard frameCount > 0, appendedFrames + frameCount <= facts.frameCount else {
      throw AssemblyError(
        .badChunk, segment: appendedChunks,
        "segment \(appendedChunks) would bring the file to \(appendedFrames + frameCount) frames, "
          + "more than its \(facts.frameCount): append each segment once")
    }
    let chunk = try ChunkReader(
      path: path, sha256: sha256, segment: appendedChunks, frameCount: frameCount,
      frameDuration: facts.frameDuration, size: facts.renderSize, codec: facts.codec,
      isFirst: output == nil, opening: open)
    if output == nil {
      output = try blaming(.badChunk) {
        try OutputMuxer(facts, mix: mix, chunk: chunk, audioRuns: audioRuns)
      }
    }
    guard let output else { return }
    guard output.takes(chunk.parameters) else {
      throw ChunkReader.bad(appendedChunks, "has different parameter sets than the first chunk")
    }
    guard chunk.delay == output.delay || (facts.carried != nil && chunk.delay < output.delay) else {
      throw ChunkReader.bad(
        appendedChunks, "delays frames by \(chunk.delay), not by \(output.delay)")
    }
    try blaming(.unwritableChunk) {
      if facts.fileLengthLimit == nil {
        let place = place(of: chunk, in: output)
        try chunk.forEachPacket { try write($0, at: place, to: output) }
      } else {
        try appendWhatFits(of: chunk, to: output)
      }
    }
    appendedChunks += 1
    // Most of the file is then on the disk when the last chunk arrives.
    if facts.isDurable { output.muxer.startBringingToDisk() }
  }

  /// Names the chunk in the error if the container rejects its content.
  private func blaming<Value>(
    _ code: AssemblyError.Code, _ body: () throws -> Value
  ) throws -> Value {
    do {
      return try body()
    } catch let error as MediaError where error.code == .damaged {
      throw ChunkReader.bad(appendedChunks, "cannot be written (\(error.message))", code)
    }
  }

  /// Writes the rest of the mix and the index, and synchronizes a durable file with the disk.
  ///
  /// - Returns: the length and checksum of what was written.
  /// - Throws: ``AssemblyError`` with code `incomplete`, or `MediaError` with code `writeFailed`.
  @discardableResult
  public func finish() throws -> WrittenContent {
    guard mix?.isWhole ?? true else {
      throw AssemblyError(.incomplete, "the end of the sound is missing: \(facts.outputPath)")
    }
    if facts.frameCount == 0 { output = try OutputMuxer(facts, mix: mix, chunk: nil, audioRuns: 1) }
    guard let output, appendedFrames == facts.frameCount || (isFull && appendedFrames > 0) else {
      throw AssemblyError(
        isFull ? .invalidSettings : .incomplete,
        isFull
          ? "not one frame fits into \(facts.fileLengthLimit ?? 0) bytes: "
            + "raise export.fileLengthLimit"
          : "\(appendedFrames) of \(facts.frameCount) frames were appended: \(facts.outputPath)")
    }
    if facts.frameCount == 0 {
      try writeSound(to: output)
    } else {
      try writeMix(
        before: isFull ? try facts.frameDuration * Int64(appendedFrames) : nil, to: output)
    }
    self.output = nil
    return try output.muxer.finish(synchronized: facts.isDurable)
  }

  /// The number of runs of sound between pictures, and at the end.
  private var audioRuns: Int { facts.frameCount / framesPerRun + 2 }

  /// The offsets of a chunk's presentation and decoding times in the file, in ticks. All packets are decoded as early
  /// as the longest delay requires, so that decoding times stay evenly spaced across joins.
  private typealias Place = (presented: Int64, decoded: Int64)

  private func place(of chunk: ChunkReader, in output: OutputMuxer) -> Place {
    let offset = Int64(appendedFrames) * chunk.ticksPerFrame
    return (offset, offset - Int64(output.delay - chunk.delay) * chunk.ticksPerFrame)
  }

  private func write(_ packet: Packet, at place: Place, to output: OutputMuxer) throws {
    let isMatroska = facts.fileType.isMatroska
    if isMatroska, let mix {
      // Audio blocks are timed from the start of decoding, so none is earlier than its cluster's first frame.
      let due = try facts.frameDuration * Int64(appendedFrames) - mix.timeBase * Int64(mix.delay)
      try writeMix(before: due, to: output)
    }
    packet.time = packet.time.map { $0 + place.presented }
    packet.decodingTime = packet.decodingTime.map { $0 + place.decoded }
    try output.muxer.write(packet, to: output.video)
    appendedFrames += 1
    if !isMatroska, appendedFrames % framesPerRun == 0 {
      try writeMix(before: try facts.frameDuration * Int64(appendedFrames), to: output)
    }
  }

  /// Appends frames in groups after which no earlier frame is missing, as long as they fit into the file with their
  /// sound.
  private func appendWhatFits(of chunk: ChunkReader, to output: OutputMuxer) throws {
    let place = place(of: chunk, in: output)
    var group: [Packet] = []
    var (count, last) = (0, Int64(-1))
    try chunk.forEachPacket { packet in
      guard !isFull else { return }
      group.append(try Packet(sharing: packet))
      count += 1
      last = max(last, (packet.time ?? 0) / chunk.ticksPerFrame)
      guard last == Int64(count - 1) else { return }
      let bytes = group.reduce(0) { $0 + $1.count }
      let frames = appendedFrames + group.count
      let sound = try mix?.bytes(before: try facts.frameDuration * Int64(frames)) ?? 0
      guard output.budget?.holds(bytes, frames: frames, sound: sound) ?? true else {
        isFull = true
        return
      }
      output.budget?.take(bytes)
      for packet in group { try write(packet, at: place, to: output) }
      group.removeAll()
    }
  }

  /// Writes the sound of an audio-only file, up to its length limit.
  private func writeSound(to output: OutputMuxer) throws {
    guard let mix else { return }
    try mix.forEachPacket(before: nil) { packet in
      guard !isFull else { return }
      guard output.budget?.holds(packet.count, frames: 0, sound: 0) ?? true else {
        isFull = true
        return
      }
      output.budget?.take(packet.count)
      try output.writeSound(packet)
    }
  }

  /// No chunk is blamed for sound that the container rejects.
  private func writeMix(before end: RationalTime?, to output: OutputMuxer) throws {
    do {
      try mix?.forEachPacket(before: end) { try output.writeSound($0) }
    } catch let error as MediaError where error.code == .damaged {
      throw AssemblyError(
        .badMix, "the sound cannot be written (\(error.message)): retry the job")
    }
  }
}
