import Crypto
import Media
import Timeline

/// Reads a chunk and checks that it can be appended: its frames, times, size and parameter sets.
struct ChunkReader {
  /// The chunk's coding parameters; if it is not the first one, those that its container states.
  let parameters: StreamParameters
  /// The number of packets from the first decoded to the first presented.
  let delay: Int
  /// Ticks of the chunk's time base per frame.
  let ticksPerFrame: Int64
  let hdr: HDRMetadata?
  private let path: String
  private let source: any ByteSource
  private let segment: Int

  /// Reads the chunk of segment number `segment` once, and checks it on its own.
  ///
  /// - Parameters:
  ///   - isFirst: whether the file takes its coding parameters from this chunk.
  ///   - open: opens an asset to which the chunk refers.
  /// - Throws: ``AssemblyError`` with code `badChunk`, `damagedChunk` if it does not match `sha256`, or
  ///   `readFailed` if the system cannot read it; `MediaError` if an asset to which it refers cannot be read.
  init(
    path: String, sha256: Digest?, segment: Int, frameCount: Int, frameDuration: RationalTime,
    size: PixelSize, codec: VideoSettings.Codec, isFirst: Bool,
    opening open: (Digest) throws -> any ByteSource
  ) throws {
    self.path = path
    self.segment = segment
    source = try Self.whole(try Self.source(path, sha256, segment), segment, opening: open)
    let demuxer = try Self.open(source, path, segment, for: isFirst ? .anything : .packets)
    guard demuxer.streams.count == 1, let stream = demuxer.streams.first,
      stream.parameters.codec == codec.rawValue
    else { throw Self.bad(segment, "is not a single \(codec.rawValue) stream") }
    let actual = stream.parameters.size
    guard actual == size else {
      throw Self.bad(
        segment,
        "has \(actual.width)x\(actual.height) pixels, not \(size.width)x\(size.height)")
    }
    let ticks = try? frameDuration / stream.timeBase
    guard let ticks, ticks.denominator == 1, ticks.numerator > 0 else {
      throw Self.bad(segment, "has a time base that does not divide the frame duration")
    }
    parameters = stream.parameters
    hdr = stream.hdr
    ticksPerFrame = ticks.numerator
    delay = try Self.checkPackets(of: demuxer, segment, frameCount, ticks.numerator)
  }

  /// Opens the chunk of segment number `segment` for a stream, without reading all of it. Its digest is checked only if it
  /// is small enough to be read at once.
  ///
  /// - Parameter open: opens an asset to which the chunk refers.
  /// - Throws: ``AssemblyError`` with code `badChunk`, `damagedChunk` or `readFailed`; `MediaError` if an asset to which
  ///   it refers cannot be read.
  init(
    streaming path: String, sha256: Digest, segment: Int, frameDuration: RationalTime,
    opening open: (Digest) throws -> any ByteSource
  ) throws {
    self.path = path
    self.segment = segment
    let file: FileByteSource
    do {
      file = try FileByteSource(path: path)
    } catch let error as MediaError {
      throw Self.unread(segment, error.message)
    }
    let own = file.size <= Self.readAtOnce ? try Self.source(path, sha256, segment) : file
    source = try Self.wellFormed(segment) {
      try ReferencingByteSource.whole(own, opening: open)
    }
    let demuxer = try Self.open(source, path, segment, for: .anything)
    let packet = try Packet()
    guard demuxer.streams.count == 1, let stream = demuxer.streams.first,
      let ticks = try? frameDuration / stream.timeBase, ticks.denominator == 1,
      ticks.numerator > 0, try demuxer.read(into: packet) == .packet,
      let start = packet.decodingTime, start <= 0
    else { throw Self.bad(segment, "is not a single stream that begins with its first frame") }
    parameters = stream.parameters
    hdr = stream.hdr
    ticksPerFrame = ticks.numerator
    delay = Int(-start / ticks.numerator)
  }

  /// Calls `body`, which may change the times, with the packets of frames whose numbers in decoding order are in a range.
  func forEachPacket(in frames: Range<Int>, _ body: (Packet) throws -> Void) throws {
    let demuxer = try Self.open(source, path, segment, for: .packets)
    if frames.lowerBound > 0 {
      try demuxer.seek(
        stream: demuxer.streams[0].index,
        to: Int64(frames.lowerBound - delay) * ticksPerFrame)
    }
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet, let decoded = packet.decodingTime {
      let number = Int(decoded / ticksPerFrame) + delay
      guard number < frames.upperBound else { return }
      if number >= frames.lowerBound {
        packet.duration = ticksPerFrame
        try body(packet)
      }
    }
  }

  /// Calls `body`, which may change the times, with every packet in decoding order.
  func forEachPacket(_ body: (Packet) throws -> Void) throws {
    let demuxer = try Self.open(source, path, segment, for: .packets)
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet {
      // libavformat derives durations from the stream's own rate, which may differ from the file's if it was copied.
      packet.duration = ticksPerFrame
      try body(packet)
    }
  }

  /// Checks that decoding times count frames up from minus the delay, and that presentation times are 0 to
  /// `frameCount − 1` in some order.
  ///
  /// - Returns: the delay in frames.
  private static func checkPackets(
    of demuxer: Demuxer, _ segment: Int, _ frameCount: Int, _ ticks: Int64
  ) throws -> Int {
    let packet = try Packet()
    var isShown = [Bool](repeating: false, count: frameCount)
    var count = 0
    var start: Int64 = 0
    while try demuxer.read(into: packet) == .packet {
      guard let time = packet.time, let decodingTime = packet.decodingTime, time % ticks == 0,
        decodingTime % ticks == 0, !packet.isDiscarded, !packet.isCorrupt, packet.count > 0
      else { throw bad(segment, "has a damaged packet, number \(count)") }
      if count == 0 {
        start = decodingTime / ticks
        guard packet.isKey, time == 0, start <= 0 else {
          throw bad(segment, "does not begin with a keyframe at time 0")
        }
      }
      guard decodingTime / ticks == start + Int64(count), time >= decodingTime else {
        throw bad(segment, "has irregular decoding times at packet \(count)")
      }
      guard time >= 0, time / ticks < frameCount, !isShown[Int(time / ticks)] else {
        throw bad(segment, "has a duplicate or out-of-range frame at tick \(time)")
      }
      isShown[Int(time / ticks)] = true
      count += 1
    }
    guard count == frameCount, frameCount > 0 else {
      throw bad(segment, "has \(count) frames, not \(frameCount)")
    }
    return Int(-start)
  }

  /// Chunks up to this size are read once, hashed in memory and appended from there. Larger ones get block digests
  /// while they are hashed, and the appended bytes are checked against those.
  private static let readAtOnce: Int64 = 128 << 20

  private static func source(
    _ path: String, _ sha256: Digest?, _ segment: Int
  ) throws -> any ByteSource {
    do {
      let file = try FileByteSource(path: path)
      guard let sha256 else { return file }
      if file.size <= readAtOnce {
        let bytes = try MemoryByteSource(file)
        guard bytes.digest == sha256 else { throw damaged(segment) }
        return bytes
      }
      let blocks = try BlockDigests.of(file: path)
      guard blocks.content == sha256 else { throw damaged(segment) }
      return try BlockByteSource(verifying: file, by: blocks, named: path)
    } catch let error as MediaError {
      throw unread(segment, error.message)
    } catch let error as FileReadError {
      throw unread(segment, "\(error)")
    }
  }

  /// The chunk with the packets to which it refers. They are checked, and those of small chunks are kept in memory.
  private static func whole(
    _ own: any ByteSource, _ segment: Int, opening open: (Digest) throws -> any ByteSource
  ) throws -> any ByteSource {
    try wellFormed(segment) {
      let table: ReferenceTable?
      do {
        table = try own.references
      } catch let error as MediaError {
        throw error.code == .damagedAsset ? damaged(segment) : unread(segment, error.message)
      }
      guard let table else { return own }
      let file = try ReferencingByteSource(own, table, in: open(table.file))
      let memory = file.size <= readAtOnce ? try MemoryByteSource(file) : nil
      let content = try memory.map(file.referencedContent) ?? file.referencedContent()
      guard content == table.content else {
        throw bad(segment, "refers to other bytes of an asset than it states")
      }
      return memory ?? file
    }
  }

  private static func wellFormed(
    _ segment: Int, _ body: () throws -> any ByteSource
  ) throws -> any ByteSource {
    do {
      return try body()
    } catch is ReferenceTable.Malformed {
      throw bad(segment, "refers to bytes that its asset does not have")
    }
  }

  /// The error of a chunk that the system cannot read, which is not the fault of the worker that rendered it.
  private static func unread(_ segment: Int, _ reason: String) -> AssemblyError {
    AssemblyError(
      .readFailed, segment: segment, "the chunk of segment \(segment) cannot be read: \(reason)")
  }

  private static func damaged(_ segment: Int) -> AssemblyError {
    bad(segment, "is damaged on the disk", .damagedChunk)
  }

  private static func open(
    _ source: any ByteSource, _ path: String, _ segment: Int, for use: Demuxer.Use
  ) throws -> Demuxer {
    do {
      return try Demuxer(source: source, named: path, for: use)
    } catch let error as MediaError where error.subject == path {
      throw bad(segment, "cannot be read (\(error.message))")
    }
  }

  static func bad(
    _ segment: Int, _ problem: String, _ code: AssemblyError.Code = .badChunk
  ) -> AssemblyError {
    AssemblyError(
      code, segment: segment,
      "the chunk of segment \(segment) \(problem): render the segment again")
  }
}
