import Crypto
import Media
import Planning
import Timeline

/// A piece of a film that is not finished yet, as a fragment of MP4. It has the packets that the finished file will have.
///
/// Times begin at ``StreamLayout/startTime``.
public struct StreamedPiece {
  /// The chunk that the piece is a part of.
  public struct Chunk {
    /// The chunk's path.
    public var path: String
    /// The digest of its bytes.
    public var sha256: Digest
    /// The number of its segment.
    public var segment: Int
    /// The number of its first frame in the film.
    public var firstFrame: Int
    /// The number of its frames.
    public var frameCount: Int

    /// Creates a chunk.
    public init(
      path: String, sha256: Digest, segment: Int, firstFrame: Int, frameCount: Int
    ) {
      self.path = path
      self.sha256 = sha256
      self.segment = segment
      self.firstFrame = firstFrame
      self.frameCount = frameCount
    }
  }

  private let facts: AssemblyFacts
  private let layout: StreamLayout
  private let muxer: FragmentMuxer

  /// Creates the maker of one piece. If the facts have no path of a mix, the piece has no sound.
  public init(_ facts: AssemblyFacts) throws {
    self.facts = facts
    layout = StreamLayout(frameDuration: facts.frameDuration)
    muxer = try FragmentMuxer(named: "the stream", hasEditLists: false)
  }

  /// Makes the piece.
  ///
  /// - Parameters:
  ///   - frames: the frames of the chunk, in decoding order.
  ///   - hasPictures: whether the piece has pictures.
  /// - Returns: the header, which suits all pieces, and the fragment.
  /// - Throws: ``AssemblyError`` about the chunk or the mix; `MediaError` with code `invalidSettings` if fragments cannot
  ///   hold a codec.
  public func make(
    _ frames: Range<Int>, of chunk: Chunk, hasPictures: Bool
  ) throws -> FragmentMuxer.Piece {
    var pictures: (reader: ChunkReader, stream: Int, ticks: Int64)?
    if hasPictures {
      let reader = try ChunkReader(
        path: chunk.path, sha256: chunk.sha256, segment: chunk.segment,
        frameCount: chunk.frameCount, frameDuration: facts.frameDuration, size: facts.renderSize,
        codec: facts.codec, isFirst: true)
      let parameters = try facts.parameters(of: reader, in: .mp4, facts.sampleDescription)
      try Self.check(parameters)
      let stream = try muxer.addStream(
        parameters, timeBase: tick, keepsTag: true,
        hdr: reader.hdr, orientation: facts.carried?.orientation ?? .identity)
      pictures = (reader, stream, facts.frameDuration.numerator)
    }
    let sound = try facts.audioPath.map { try StreamedSound(path: $0, blocks: facts.audioBlocks) }
    let soundStream = try sound.map { sound in
      try Self.check(sound.parameters)
      return try muxer.addStream(sound.parameters, timeBase: sound.timeBase)
    }
    if let (reader, stream, ticks) = pictures {
      try write(frames, of: reader, startingAt: chunk.firstFrame, ticks, to: stream)
    }
    if let sound, let soundStream {
      let (first, end) = (
        chunk.firstFrame + frames.lowerBound, chunk.firstFrame + frames.upperBound
      )
      let start = try RationalTime(layout.startTime).ticks(of: sound.timeBase)
      try sound.forEachPacket(
        from: first == 0 ? nil : try facts.frameDuration * Int64(first),
        before: end == facts.frameCount ? nil : try facts.frameDuration * Int64(end)
      ) { packet in
        packet.time = packet.time.map { $0 + start }
        packet.decodingTime = packet.decodingTime.map { $0 + start }
        try muxer.write(packet, to: soundStream)
      }
    }
    guard let piece = try muxer.cut() else {
      throw AssemblyError(.invalidSettings, "the stream has no packets at this time")
    }
    return piece
  }

  /// Writes a range of a chunk's packets.
  private func write(
    _ frames: Range<Int>, of reader: ChunkReader, startingAt first: Int, _ ticks: Int64,
    to stream: Int
  ) throws {
    let start = try RationalTime(layout.startTime).ticks(of: tick) + Int64(first) * ticks
    // As in the finished file, all packets are decoded as early as the longest delay requires.
    let delay = Int64(max(facts.carried?.delay ?? 0, reader.delay) - reader.delay) * ticks
    var number = 0
    let tick = try tick
    try reader.forEachPacket { packet in
      defer { number += 1 }
      guard frames.contains(number), let time = packet.time, let decoded = packet.decodingTime
      else { return }
      packet.timeBase = tick
      packet.time = time / reader.ticksPerFrame * ticks + start
      packet.decodingTime = decoded / reader.ticksPerFrame * ticks + start - delay
      packet.duration = ticks
      try muxer.write(packet, to: stream)
    }
  }

  /// Divides both a frame and a second, so that the times are exact.
  private var tick: RationalTime {
    get throws { try RationalTime(1, facts.frameDuration.denominator) }
  }

  private static func check(_ parameters: StreamParameters) throws {
    guard FragmentMuxer.canHold(parameters) else {
      throw MediaError(
        .invalidSettings, "\(parameters.codec) cannot be streamed", on: "the job",
        remedy: "wait for its file")
    }
  }
}
