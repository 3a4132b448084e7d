import Crypto
import Media
import Planning
import Timeline

/// A piece of a job's stream, as a fragment of MP4. Unless its sound is an interim mix, it has the same packets as the
/// finished file.
///
/// The film's first frame is at ``StreamLayout/startTime``.
public struct StreamedPiece {
  private let facts: AssemblyFacts
  private let layout: StreamLayout
  private let muxer: FragmentMuxer
  private let interim: InterimSoundReader?
  private let openShown: (Digest) throws -> any ByteSource

  /// Prepares one piece with the sound of the finished mix. If `facts` has no audio path, this piece has no sound.
  ///
  /// - Parameters:
  ///   - number: the number of the piece in the film, from 1.
  ///   - openShown: opens an asset to which the chunk refers.
  public init(
    _ facts: AssemblyFacts, number: Int = 1,
    openingShown openShown: @escaping (Digest) throws -> any ByteSource =
      ReferencingByteSource.noFile
  ) throws {
    try self.init(facts, number: number, interim: nil, openingShown: openShown)
  }

  /// Prepares one piece of a job that follows a recording, with the sound of an interim mix.
  ///
  /// - Parameters:
  ///   - number: the number of the piece in the film, from 1.
  ///   - open: opens an asset of the mix.
  ///   - openShown: opens an asset to which the chunk refers.
  public init(
    _ facts: AssemblyFacts, number: Int = 1, interimMix: MixDescription,
    open: @escaping (AudioSource) throws -> any ByteSource,
    openingShown openShown: @escaping (Digest) throws -> any ByteSource =
      ReferencingByteSource.noFile
  ) throws {
    try self.init(
      facts, number: number, interim: try InterimSoundReader(interimMix, open: open),
      openingShown: openShown)
  }

  private init(
    _ facts: AssemblyFacts, number: Int, interim: InterimSoundReader?,
    openingShown openShown: @escaping (Digest) throws -> any ByteSource
  ) throws {
    self.facts = facts
    self.openShown = openShown
    self.interim = interim
    layout = StreamLayout(frameDuration: facts.frameDuration)
    muxer = try FragmentMuxer(named: "the stream", hasEditLists: false, firstNumber: number)
  }

  /// Makes the piece.
  ///
  /// - Parameters:
  ///   - frames: the frames of the chunk, in decoding order.
  ///   - hasPictures: whether the piece has pictures.
  /// - Returns: the bytes of the fragment; none if it has no pictures, and no packet of sound begins in this time.
  /// - Throws: ``AssemblyError`` about the chunk or the mix; `MediaError` about an asset, or with code `invalidSettings`
  ///   if fragments cannot hold a codec.
  public func make(
    _ frames: Range<Int>, of chunk: StreamedChunk, hasPictures: Bool
  ) throws -> [UInt8] {
    let (pictures, sound) = try open(chunk, hasPictures: hasPictures)
    if let pictures { try write(frames, of: pictures, startingAt: chunk.firstFrame) }
    let (first, end) = (
      chunk.firstFrame + frames.lowerBound, chunk.firstFrame + frames.upperBound
    )
    try sound.map {
      try write(
        $0, from: first == 0 ? nil : try facts.frameDuration * Int64(first),
        before: end == facts.frameCount && !facts.isPartial
          ? nil : try facts.frameDuration * Int64(end))
    }
    return try muxer.cut()?.fragment ?? []
  }

  /// Makes a header that suits all pieces with the same kinds of media, from any chunk.
  ///
  /// - Throws: as ``make(_:of:hasPictures:)``.
  public func makeHeader(from chunk: StreamedChunk, hasPictures: Bool) throws -> [UInt8] {
    let (pictures, sound) = try open(chunk, hasPictures: hasPictures)
    if let pictures { try write(0..<1, of: pictures, startingAt: chunk.firstFrame) }
    // One packet is enough for the header, and it begins within a second.
    try sound.map { try write($0, from: nil, before: RationalTime(1), atMost: 1) }
    guard let header = try muxer.cut()?.header else {
      throw AssemblyError(.badMix, "the mix has no packets")
    }
    return header
  }

  private typealias Pictures = (reader: ChunkReader, stream: Int)
  private typealias Sound = (reader: any PieceSound, stream: Int)

  /// Opens the sources of the piece, and adds their streams.
  private func open(_ chunk: StreamedChunk, hasPictures: Bool) throws -> (Pictures?, Sound?) {
    var pictures: Pictures?
    if hasPictures {
      let reader = try ChunkReader(
        streaming: chunk.path, sha256: chunk.sha256, segment: chunk.segment,
        frameDuration: facts.frameDuration, opening: openShown)
      let parameters = try facts.parameters(of: reader, in: .mp4, facts.sampleDescription)
      try Self.check(parameters)
      let stream = try muxer.addStream(
        parameters, timeBase: tick, keepsTag: true, hdr: reader.hdr,
        orientation: facts.carried?.orientation ?? .identity)
      pictures = (reader, stream)
    }
    let sound: (any PieceSound)? =
      try interim
      ?? facts.audioPath.map { try StreamedSound(path: $0, blocks: facts.audioBlocks) }
    guard let sound else { return (pictures, nil) }
    try Self.check(sound.parameters)
    return (
      pictures, (sound, try muxer.addStream(sound.parameters, timeBase: sound.timeBase))
    )
  }

  /// Writes a range of a chunk's packets.
  private func write(
    _ frames: Range<Int>, of pictures: Pictures, startingAt first: Int
  ) throws {
    let (reader, tick, ticks) = (pictures.reader, try tick, facts.frameDuration.numerator)
    let start = try RationalTime(layout.startTime).ticks(of: tick) + Int64(first) * ticks
    // As in the finished file, all packets are decoded as early as the longest delay requires. While a job follows a
    // recording, later chunks may need the longest possible one.
    let longest = facts.isFollowing ? StreamLayout.longestDelay : facts.carried?.delay ?? 0
    let delay = Int64(max(longest, reader.delay) - reader.delay) * ticks
    try reader.forEachPacket(in: frames) { packet in
      packet.timeBase = tick
      packet.time = packet.time.map { $0 / reader.ticksPerFrame * ticks + start }
      packet.decodingTime = packet.decodingTime.map {
        $0 / reader.ticksPerFrame * ticks + start - delay
      }
      packet.duration = ticks
      try muxer.write(packet, to: pictures.stream)
    }
  }

  /// Writes the packets of the mix in a range of time; `nil` stands for its start and its end.
  private func write(
    _ sound: Sound, from first: RationalTime?, before end: RationalTime?, atMost limit: Int = .max
  ) throws {
    let start = try RationalTime(layout.startTime).ticks(of: sound.reader.timeBase)
    var count = 0
    try sound.reader.forEachPacket(from: first, before: end) { packet in
      packet.time = packet.time.map { $0 + start }
      packet.decodingTime = packet.decodingTime.map { $0 + start }
      try muxer.write(packet, to: sound.stream)
      count += 1
      return count < limit
    }
  }

  /// A tick that divides both a frame and a second evenly.
  private var tick: RationalTime {
    get throws { try RationalTime(1, facts.frameDuration.denominator) }
  }

  private static func check(_ parameters: StreamParameters) throws {
    guard FragmentMuxer.canHold(parameters) else {
      throw MediaError(
        .invalidSettings, "fragmented MP4 cannot hold \(parameters.codec)", on: "the stream",
        remedy: "download the file when the job is completed")
    }
  }
}
