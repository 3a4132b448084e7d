import Crypto
import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Chunks that refer to the asset whose packets they copy.
@Suite(.mayBlock) struct ReferringChunkTests {
  private let chunks: TestChunks
  private let stream: VideoStream

  init() throws {
    chunks = try TestChunks(frameCount: 60)
    // Packets of some hundred bytes.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i",
        "testsrc2=size=160x96:rate=30,noise=alls=20:allf=t:all_seed=1", "-frames:v", "60", "-c:v",
        "libx264", "-preset", "veryfast", "-g", "12", "-sc_threshold", "0", "-pix_fmt", "yuv420p",
        chunks.clip,
      ])
    stream = try TestScene.source(chunks.clip).stream
  }

  private typealias Chunk = (path: String, count: Int)

  /// Copies the frames of a range into a chunk.
  private func copied(_ range: Range<Int>, refers: Bool) throws -> Chunk {
    var segment = try TestScene(
      paths: [chunks.clip], size: chunks.size, first: range.lowerBound,
      layers: [.init(source: 0, frames: Array(range))]
    ).segment()
    segment.video = VideoSettings(codec: .h264)
    segment.copy = CopiedPart(
      source: 0, delay: try #require(stream.copying).delay, refersToSource: refers ? true : nil)
    let path = chunks.folder.path("copied-\(refers)-\(range.lowerBound).mp4")
    let chunk = try SegmentRenderer(segment: segment) { try FileByteSource(path: $0.name) }
      .render(to: path)
    #expect(chunk.frameCount == range.count)
    #expect(try chunk.content == WrittenContent.of(file: path))
    return (path, range.count)
  }

  private func bothChunks(refer: Bool) throws -> [Chunk] {
    let copying = try #require(stream.copying)
    try #require(copying.part(of: 0..<24) == 0..<24 && copying.part(of: 24..<60) == 24..<60)
    return [try copied(0..<24, refers: refer), try copied(24..<60, refers: refer)]
  }

  private func openClip(_ digest: Digest) throws -> any ByteSource {
    #expect(digest == TestScene.digest)
    return try FileByteSource(path: chunks.clip)
  }

  private func bytes(_ path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// The number of bytes of a file's packets.
  private func packetBytes(_ path: String) throws -> Int {
    let demuxer = try Demuxer(source: FileByteSource(path: path), named: path)
    let packet = try Packet()
    var count = 0
    while try demuxer.read(into: packet) == .packet { count += packet.count }
    return count
  }

  /// Assembles chunks, stating their digests.
  private func assemble(
    _ made: [Chunk], named name: String,
    opening open: @escaping (Digest) throws -> any ByteSource
  ) throws -> [UInt8] {
    let assembler = try Assembler(
      chunks.facts(frameCount: made.reduce(0) { $0 + $1.count }, named: name), opening: open)
    for chunk in made {
      try assembler.append(
        chunk: chunk.path, sha256: Digest.of(bytes(chunk.path)), expecting: chunk.count)
    }
    try assembler.finish()
    return try bytes(chunks.folder.path(name))
  }

  @Test func `the file is the one that chunks with all packets make`() throws {
    let (plain, referring) = (try bothChunks(refer: false), try bothChunks(refer: true))
    for (plain, referring) in zip(plain, referring) {
      let table = try #require(try FileByteSource(path: referring.path).references)
      #expect(table.file == TestScene.digest)
      #expect(table.pieces.reduce(0) { $0 + Int($1.count) } == (try bytes(plain.path).count))
      // Each keyframe has parameter sets of its own before what it shares.
      let total = try packetBytes(plain.path)
      #expect((total - 200 * 3..<total).contains(Int(table.content.byteCount)))
    }
    let expected = try assemble(plain, named: "plain.mp4", opening: ReferencingByteSource.noFile)
    #expect(try assemble(referring, named: "referring.mp4", opening: openClip) == expected)
  }

  @Test func `pieces of a stream are those of chunks with all packets`() throws {
    let facts = chunks.facts(frameCount: 60)
    let pairs = zip(try bothChunks(refer: false), try bothChunks(refer: true))
    for ((plain, referring), first) in zip(pairs, [0, 24]) {
      let pieces = try [plain, referring].map { chunk in
        let part = StreamedChunk(
          path: chunk.path, sha256: Digest.of(try bytes(chunk.path)), segment: 0,
          firstFrame: first)
        return [
          try StreamedPiece(facts, openingShown: openClip).makeHeader(
            from: part, hasPictures: true),
          try StreamedPiece(facts, openingShown: openClip)
            .make(5..<20, of: part, hasPictures: true),
        ]
      }
      #expect(pieces[0] == pieces[1])
      #expect(pieces[0].allSatisfy { !$0.isEmpty })
    }
  }

  @Test func `damage of the asset is reported as such, and does not blame the chunk`() throws {
    let referring = try bothChunks(refer: true)
    var damaged = try bytes(chunks.clip)
    let digests = BlockDigests.of(damaged)
    let table = try #require(try FileByteSource(path: referring[0].path).references)
    let place = try #require(
      table.pieces.lazy.compactMap { piece -> Int64? in
        if case .referenced(let offset, _) = piece { offset } else { nil }
      }.first)
    damaged[Int(place)] ^= 1
    let source = MemoryByteSource(damaged)
    let error = try #require(throws: MediaError.self) {
      try assemble(referring, named: "damaged.mp4") { _ in
        try BlockByteSource(verifying: source, by: digests, named: "a.mp4")
      }
    }
    #expect(error.code == .damagedAsset)
    #expect(error.subject == "a.mp4")
  }

  /// The first chunk with a table that refers to other bytes.
  private func forged(_ change: (Int64, Int64) -> (Int64, Int64)) throws -> Chunk {
    let chunk = try copied(0..<24, refers: true)
    let table = try #require(try FileByteSource(path: chunk.path).references)
    let pieces = table.pieces.map { piece in
      guard case .referenced(let offset, let count) = piece else { return piece }
      let changed = change(offset, count)
      return .referenced(offset: changed.0, count: changed.1)
    }
    let forged = ReferenceTable(file: table.file, content: table.content, pieces: pieces)
    let own = try bytes(chunk.path).dropLast(table.encoded.count)
    try Data(own + forged.encoded).write(to: URL(fileURLWithPath: chunk.path))
    return chunk
  }

  @Test(arguments: [1, -1, 1 << 40] as [Int64])
  func `a chunk that refers to other bytes than were copied is refused`(shift: Int64) throws {
    let chunk = try forged { ($0 + shift, $1) }
    let error = try #require(throws: AssemblyError.self) {
      try assemble([chunk], named: "forged.mp4", opening: openClip)
    }
    #expect(error.code == .badChunk)
    #expect(error.segment == 0)
  }

  @Test func `a chunk that refers to an unknown asset is refused`() throws {
    let chunk = try copied(0..<24, refers: true)
    let error = try #require(throws: AssemblyError.self) {
      try assemble([chunk], named: "unknown.mp4", opening: ReferencingByteSource.noFile)
    }
    #expect(error.code == .badChunk)
  }

  @Test func `another chunk can be appended after one that was refused`() throws {
    let expected = try assemble(
      [copied(0..<24, refers: false)], named: "plain.mp4", opening: ReferencingByteSource.noFile)
    let forged = try forged { ($0 + 1, $1) }
    let assembler = try Assembler(
      chunks.facts(frameCount: 24, named: "second.mp4"), opening: openClip)
    #expect(throws: AssemblyError.self) {
      try assembler.append(chunk: forged.path, expecting: forged.count)
    }
    let chunk = try copied(0..<24, refers: true)
    try assembler.append(chunk: chunk.path, expecting: chunk.count)
    try assembler.finish()
    #expect(try bytes(chunks.folder.path("second.mp4")) == expected)
  }
}
