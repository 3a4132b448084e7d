import Crypto
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

/// Joins pieces as a player does, and compares them with the finished file.
@Suite(.mayBlock) struct StreamedPieceTests {
  /// A piece with the header of its chunk.
  private struct Piece {
    let header: [UInt8]
    let fragment: [UInt8]
  }

  /// Pieces of a film.
  private static func pieces(
    _ chunks: [(path: String, count: Int)], _ facts: AssemblyFacts, hasPictures: Bool = true
  ) throws -> [Piece] {
    let layout = StreamLayout(frameDuration: facts.frameDuration)
    var pieces: [Piece] = []
    var first = 0
    for (number, chunk) in chunks.enumerated() {
      let part = StreamedChunk(
        path: chunk.path, sha256: try BlockDigests.of(file: chunk.path).content, segment: number,
        firstFrame: first)
      for frames in layout.pieces(ofFrames: chunk.count) {
        pieces.append(
          Piece(
            header: try StreamedPiece(facts).makeHeader(from: part, hasPictures: hasPictures),
            fragment: try StreamedPiece(facts).make(frames, of: part, hasPictures: hasPictures)))
      }
      first += chunk.count
    }
    return pieces
  }

  private static func join(
    _ pieces: [Piece], under header: [UInt8]?, to path: String
  ) throws {
    var bytes = try #require(header)
    for piece in pieces { bytes += piece.fragment }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  private static func packets(
    _ path: String, _ stream: String, from start: Double
  ) throws -> [String] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=pts_time,data_hash",
        "-show_data_hash", "sha256", "-of", "csv=p=0", path,
      ])
    // The packet with the delay of the encoder has side data, which makes it two lines.
    let lines = String(decoding: text, as: UTF8.self).replacing(",\n,", with: ",")
    return lines.split(separator: "\n").map { line in
      let fields = line.split(separator: ",")
      // Fractions of 1/10000 s, because some frames of 1001/30000 s begin exactly on a half millisecond.
      let time = ((Double(fields[0]) ?? -1) - start) * 10_000
      return "\(Int(time.rounded())) \(fields[1])"
    }
  }

  @Test(arguments: [RationalTime.second(over: 30), try RationalTime(1001, 30000)])
  func `pieces have the packets of the finished file, at the same times`(
    _ frameDuration: RationalTime
  ) throws {
    var chunks = try TestChunks(frameCount: 400)
    chunks.frameDuration = frameDuration
    let parts = [try chunks.chunk(0..<30), try chunks.chunk(30..<380), try chunks.chunk(380..<400)]
    var facts = chunks.facts(frameCount: 400, audio: try chunks.mix(sampleCount: 640_640))
    facts.optimizeForNetworkUse = false
    try chunks.assemble(parts, facts)
    let pieces = try Self.pieces(parts, facts)
    #expect(pieces.count == 1 + 2 + 1)
    let stream = chunks.folder.path("stream.mp4")
    for kind in ["v:0", "a:0"] {
      let whole = try Self.packets(facts.outputPath, kind, from: 0)
      #expect(whole.count > 390)
      for piece in pieces {
        try Self.join(pieces, under: piece.header, to: stream)
        #expect(try Self.packets(stream, kind, from: 10) == whole)
      }
    }
    #expect(
      try FrameNameReader.names(in: stream) == (0..<400).map { FrameName(source: 9, frame: $0) })
    let messages = try Tool.run("ffmpeg", ["-v", "error", "-i", stream, "-f", "null", "-"])
    #expect(messages.isEmpty)
  }

  @Test func `pictures and sound can be streamed separately`() throws {
    var chunks = try TestChunks(frameCount: 60)
    // A packet of sound is longer than a frame at this rate, so some chunks have none.
    chunks.frameDuration = .second(over: 60)
    let parts =
      [try chunks.chunk(0..<20)] + (try (20..<24).map { try chunks.chunk($0..<$0 + 1) }) + [
        try chunks.chunk(24..<60)
      ]
    var facts = chunks.facts(frameCount: 60, audio: try chunks.mix(sampleCount: 48_000))
    facts.optimizeForNetworkUse = false
    try chunks.assemble(parts, facts)
    let (pictures, sound) = (chunks.folder.path("pictures.mp4"), chunks.folder.path("sound.mp4"))
    let heard = try Self.pieces(parts, facts, hasPictures: false)
    #expect(heard.contains { $0.fragment.isEmpty })
    try Self.join(heard, under: heard.first?.header, to: sound)
    let output = facts.outputPath
    facts.audioPath = nil
    let seen = try Self.pieces(parts, facts)
    try Self.join(seen, under: seen.first?.header, to: pictures)
    for (path, kind) in [(pictures, "v:0"), (sound, "a:0")] {
      #expect(
        try Self.packets(path, kind, from: 10) == Self.packets(output, kind, from: 0))
      #expect(try Self.packets(path, kind == "v:0" ? "a:0" : "v:0", from: 10).isEmpty)
    }
  }

  @Test func `a chunk that does not match its digest is rejected`() throws {
    let chunks = try TestChunks(frameCount: 10)
    let (path, _) = try chunks.chunk(0..<10)
    let chunk = StreamedChunk(
      path: path, sha256: Digest.of(Data("other".utf8)), segment: 0, firstFrame: 0)
    #expect {
      try StreamedPiece(chunks.facts(frameCount: 10)).make(0..<10, of: chunk, hasPictures: true)
    } throws: {
      ($0 as? AssemblyError)?.code == .damagedChunk
    }
  }
}
