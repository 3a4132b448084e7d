import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

@Suite(.mayBlock) struct AssemblerTests {
  private static func csv(_ path: String, _ stream: String, _ entries: String) throws -> [[Int]] {
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-select_streams", stream, "-show_entries", "packet=\(entries)", "-of",
        "csv=p=0", path,
      ])
    return String(decoding: text, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",").compactMap { Int($0) }
    }
  }

  private static func boxes(_ path: String) throws -> [String] {
    let data = try Data(contentsOf: URL(fileURLWithPath: path))
    var names: [String] = []
    var offset = 0
    while offset + 8 <= data.count {
      var size = data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
      names.append(String(decoding: data[offset + 4..<offset + 8], as: UTF8.self))
      if size == 1 { size = data[offset + 8..<offset + 16].reduce(0) { $0 << 8 | Int($1) } }
      offset += max(size, 8)
    }
    return names
  }

  @Test(arguments: [[60], [7, 5, 13, 5, 30], [30, 30]], ["out.mp4", "out.mov"])
  func `a file's frames are evenly spaced from 0 on, across every join`(
    _ counts: [Int], _ name: String
  ) throws {
    let chunks = try TestChunks(frameCount: 60)
    var parts: [(path: String, count: Int)] = []
    var first = 0
    for count in counts {
      parts.append(try chunks.chunk(first..<first + count))
      first += count
    }
    let facts = chunks.facts(
      frameCount: 60, audio: try chunks.mix(sampleCount: 96_000), named: name)
    try chunks.assemble(parts, facts)
    let path = facts.outputPath

    let packets = try Self.csv(path, "v:0", "pts,dts,duration")
    #expect(packets.count == 60)
    let step = try #require(packets.first?[2])
    #expect(packets.allSatisfy { $0[2] == step })
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1[1] - $0[1] == step })
    #expect(packets.map { $0[0] }.sorted() == (0..<60).map { $0 * step })
    #expect(
      try FrameNameReader.names(in: path) == (0..<60).map { FrameName(source: 9, frame: $0) })
    let complaint = try Tool.output(of: "ffmpeg", ["-v", "error", "-i", path, "-f", "null", "-"])
    #expect(complaint.standardError.isEmpty)
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: path)
    #expect(index.duration == RationalTime(2))
    #expect(index.start == .zero)
    let boxes = try Self.boxes(path)
    #expect(boxes.filter { ["moov", "mdat"].contains($0) } == ["moov", "mdat"])
  }

  @Test func `the sound of the file equals the mix, sample for sample`() throws {
    let chunks = try TestChunks(frameCount: 60)
    let mix = try chunks.mix(sampleCount: 96_000)
    let facts = chunks.facts(frameCount: 60, audio: mix)
    try chunks.assemble([try chunks.chunk(0..<60)], facts)
    let sound = try PCM.read(facts.outputPath, channels: 2)
    #expect(sound == (try PCM.read(mix, channels: 2)))
    let loud = sound[0].indices.filter { abs(sound[0][$0]) > 0.3 }
    #expect(loud == Array(stride(from: 100, to: 96_000, by: 9600)))
  }

  @Test func `a file can have a single frame at 24000/1001 frames per second`() throws {
    var chunks = try TestChunks(frameCount: 12)
    chunks.frameDuration = try RationalTime(1001, 24_000)
    let facts = chunks.facts(frameCount: 1)
    try chunks.assemble([try chunks.chunk(0..<1)], facts)
    let index = try MediaProber.index(
      of: try FileByteSource(path: facts.outputPath), named: "one")
    #expect(index.duration == (try RationalTime(1001, 24_000)))
  }

  @Test(arguments: ["2026-11-20", "2026-11-20T00:00:00Z"], ["out.mp4", "out.mkv"])
  func `a date with or without a time of day is written to the file`(_ date: String, _ name: String)
    throws
  {
    let chunks = try TestChunks(frameCount: 12)
    var facts = chunks.facts(frameCount: 12, named: name)
    facts.metadata = ExportMetadata(creationDate: date)
    try chunks.assemble([try chunks.chunk(0..<12)], facts)
    let text = try Tool.run(
      "ffprobe",
      [
        "-v", "error", "-show_entries", "format_tags=creation_time", "-of", "csv=p=0",
        facts.outputPath,
      ])
    #expect(String(decoding: text, as: UTF8.self).hasPrefix("2026-11-20T00:00:00"))
  }

  @Test func `the error about a bad chunk names it, and a good one can follow`() throws {
    let chunks = try TestChunks(frameCount: 40)
    let good = [try chunks.chunk(0..<20), try chunks.chunk(20..<40)]
    var other = chunks
    other.video.encoderPreset = "ultrafast"
    var larger = chunks
    larger.size = PixelSize(width: 176, height: 96)
    let cut = chunks.folder.path("cut.mp4")
    let whole = try Data(contentsOf: URL(fileURLWithPath: good[1].path))
    try whole.prefix(whole.count * 2 / 3).write(to: URL(fileURLWithPath: cut))
    let facts = chunks.facts(frameCount: 40)
    let assembler = try Assembler(facts)
    try assembler.append(chunk: good[0].path, expecting: 20)
    for path in [
      try chunks.chunk(20..<39).path, try other.chunk(20..<40, named: "other").path,
      try larger.chunk(20..<40, named: "larger").path, cut,
    ] {
      let error = #expect(throws: AssemblyError.self, "\(path)") {
        try assembler.append(chunk: path, expecting: 20)
      }
      #expect(error?.code == .badChunk)
      #expect(error?.segment == 1)
    }
    let unread = #expect(throws: AssemblyError.self) {
      try assembler.append(chunk: chunks.folder.path("missing.mp4"), expecting: 20)
    }
    #expect(unread?.code == .readFailed, "no worker is to blame")
    let early = #expect(throws: AssemblyError.self) { try assembler.finish() }
    #expect(early?.code == .incomplete)
    try assembler.append(chunk: good[1].path, expecting: 20)
    try assembler.finish()
    #expect(
      try FrameNameReader.names(in: facts.outputPath)
        == (0..<40).map { FrameName(source: 9, frame: $0) })
  }

  @Test(arguments: [1, 2, 7, 33, 120]) func `the reserved space fits an index of any length`(
    _ repetitions: Int
  ) throws {
    var chunks = try TestChunks(frameCount: 12)
    // Only keyframes, or reordered frames between long runs, make the tables as large as possible.
    for (name, range) in [("p", 0..<1), ("b", 0..<12)] {
      chunks.video.encoderPreset = name == "p" ? "ultrafast" : "medium"
      let chunk = try chunks.chunk(range, named: name)
      let facts = chunks.facts(frameCount: chunk.count * repetitions, named: "\(name).mp4")
      try chunks.assemble(Array(repeating: chunk, count: repetitions), facts)
      #expect(try Self.boxes(facts.outputPath).prefix(3) == ["ftyp", "moov", "free"])
    }
  }
}
