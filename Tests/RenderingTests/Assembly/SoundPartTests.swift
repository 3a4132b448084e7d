import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Files that are assembled while their sound is still being mixed.
@Suite(.mayBlock) struct SoundPartTests {
  /// Three chunks of 25 seconds at 10 frames per second, and their sound, which is 25 seconds long, too.
  private struct Material {
    let chunks: TestChunks
    let files: [(path: String, count: Int)]
    let mix: String
    let parts: [SoundPart]

    /// - Parameter isSpliced: whether most of the sound is copied from a source.
    init(isSpliced: Bool = false) throws {
      var chunks = try TestChunks(frameCount: 250)
      chunks.frameDuration = .second(over: 10)
      self.chunks = chunks
      files = try [0..<100, 100..<180, 180..<250].map { try chunks.chunk($0) }
      let source = chunks.folder.path(isSpliced ? "source.m4a" : "source.wav")
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=25:seed=1:a=0.3", "-ac",
          "2", "-bitexact", source,
        ])
      mix = chunks.folder.path("mix.mp4")
      try FileManager.default.createDirectory(
        atPath: chunks.folder.path("parts"), withIntermediateDirectories: false)
      var news: [SoundNews] = []
      let writer = SoundPartWriter(in: chunks.folder.path("parts")) { news.append($0) }
      if isSpliced {
        let description = try TestMix.dip(source, seconds: 25, settings: AudioSettings())
          .description
        let splicer = try #require(
          try SoundSplicer(description) { try FileByteSource(path: $0.name) })
        let spliced = try #require(try splicer.splice(to: mix, parts: writer))
        #expect(spliced.copied > RationalTime(20))
      } else {
        try TestMix(path: source, sampleCount: 25 * 48_000).mixer().mix(to: mix, parts: writer)
      }
      parts = news.compactMap { if case .part(let part) = $0 { part } else { nil } }
      #expect(parts.count == news.count, "the sound does not begin again")
      #expect(parts.count == 3)
      #expect(parts.map(\.isLast) == [false, false, true])
      #expect(parts.last?.end == RationalTime(25))
    }

    /// Facts about a file with a name, with the finished mix or its first part.
    func facts(_ name: String, whole: Bool = false) throws -> AssemblyFacts {
      var facts = chunks.facts(frameCount: 250, audio: whole ? mix : nil, named: name)
      facts.frameDuration = chunks.frameDuration
      if !whole {
        facts.soundParts = AssemblyFacts.SoundParts(
          folder: chunks.folder.path("parts"), first: try #require(parts.first))
      }
      return facts
    }

    /// Appends each chunk when no more of the sound than it needs is there.
    func assemble(_ facts: AssemblyFacts) throws {
      let assembler = try Assembler(facts)
      var (added, frames) = (1, 0)
      for file in files {
        frames += file.count
        while parts[added - 1].end < (try facts.frameDuration * Int64(frames)), added < parts.count
        {
          try assembler.add(parts[added])
          added += 1
        }
        try assembler.append(chunk: file.path, expecting: file.count)
      }
      for part in parts[added...] { try assembler.add(part) }
      try assembler.finish()
    }
  }

  private static func bytes(_ path: String) throws -> Data {
    try Data(contentsOf: URL(filePath: path))
  }

  @Test(arguments: ["mp4", "mov", "mkv"], [false, true])
  func `a file that is assembled while its sound is mixed is the same as one assembled afterwards`(
    type: String, isSpliced: Bool
  ) throws {
    let material = try Material(isSpliced: isSpliced)
    let (early, late) = (
      try material.facts("early.\(type)"), try material.facts("late.\(type)", whole: true)
    )
    try material.assemble(early)
    try material.chunks.assemble(material.files, late)
    #expect(try Self.bytes(early.outputPath) == Self.bytes(late.outputPath))
    let sound = try PCM.read(early.outputPath, channels: 2)
    #expect(sound == (try PCM.read(late.outputPath, channels: 2)))
    if type != "mkv" { #expect(sound == (try PCM.read(material.mix, channels: 2))) }
    let complaint = try Tool.output(
      of: "ffmpeg", ["-v", "error", "-i", early.outputPath, "-f", "null", "-"])
    #expect(complaint.standardError.isEmpty)
  }

  @Test func `a file is not finished without the end of its sound`() throws {
    let material = try Material()
    let assembler = try Assembler(try material.facts("out.mp4"))
    try assembler.add(material.parts[1])
    for file in material.files.prefix(1) {
      try assembler.append(chunk: file.path, expecting: file.count)
    }
    let error = try #require(throws: AssemblyError.self) { try assembler.finish() }
    #expect(error.code == .incomplete)
  }

  @Test func `parts of sound must follow one another`() throws {
    let material = try Material()
    let assembler = try Assembler(try material.facts("out.mp4"))
    for wrong in [material.parts[0], material.parts[2]] {
      let error = try #require(throws: AssemblyError.self) { try assembler.add(wrong) }
      #expect(error.code == .badMix)
    }
    var late = material.parts[1]
    late.start += 1024
    let error = try #require(throws: AssemblyError.self) { try assembler.add(late) }
    #expect(error.code == .badMix)
    try assembler.add(material.parts[1])
  }

  /// Flips a bit of the second part, before or after it is added.
  @Test(arguments: [false, true])
  func `a part of sound that changed on the disk does not get into a file`(isLate: Bool) throws {
    let material = try Material()
    let path = material.parts[1].path(in: material.chunks.folder.path("parts"))
    var bytes = try Self.bytes(path)
    bytes[bytes.count / 2] ^= 1
    let assembler = try Assembler(try material.facts("out.mp4"))
    if isLate { try assembler.add(material.parts[1]) }
    try bytes.write(to: URL(filePath: path))
    if isLate {
      let file = material.files[0]
      let error = try #require(throws: MediaError.self) {
        try assembler.append(chunk: file.path, expecting: file.count)
      }
      #expect(error.code == .damagedAsset)
    } else {
      let error = try #require(throws: AssemblyError.self) {
        try assembler.add(material.parts[1])
      }
      #expect(error.code == .badMix)
    }
  }

  @Test func `a part of sound that does not hold what it claims is refused`() throws {
    let material = try Material()
    let second = material.parts[1]
    var wrong: [SoundPart] = [second, second]
    wrong[0].end = try second.end + RationalTime(1)
    // The first part's packets under the second one's number.
    wrong[1].content = material.parts[0].content
    let folder = material.chunks.folder.path("parts")
    let right = try Self.bytes(second.path(in: folder))
    for (number, part) in wrong.enumerated() {
      let bytes = number == 0 ? right : try Self.bytes(material.parts[0].path(in: folder))
      try bytes.write(to: URL(filePath: part.path(in: folder)))
      let assembler = try Assembler(try material.facts("out\(number).mp4"))
      let error = try #require(throws: AssemblyError.self) { try assembler.add(part) }
      #expect(error.code == .badMix)
    }
  }

  @Test func `a chunk is not appended before its sound is there`() throws {
    let material = try Material()
    let assembler = try Assembler(try material.facts("out.mp4"))
    let file = material.files[0]
    let error = try #require(throws: AssemblyError.self) {
      try assembler.append(chunk: file.path, expecting: file.count)
    }
    #expect(error.code == .incomplete)
  }

  @Test func `a file of limited length waits for its whole sound`() throws {
    let material = try Material()
    var facts = try material.facts("out.mp4")
    facts.fileLengthLimit = 1 << 20
    let error = try #require(throws: AssemblyError.self) { _ = try Assembler(facts) }
    #expect(error.code == .invalidSettings)
  }

  @Test func `sound that is shorter than a part is not written in parts`() throws {
    let folder = try TemporaryDirectory()
    let wave = folder.path("source.wav")
    try ClickTrack(sampleCount: 96_000, clicks: [100]).write(to: wave)
    var news: [SoundNews] = []
    let writer = SoundPartWriter(in: folder.path) { news.append($0) }
    try TestMix(path: wave, sampleCount: 96_000).mixer().mix(
      to: folder.path("a.mp4"), parts: writer)
    #expect(news.isEmpty)
  }

  @Test func `parts that were reported are not written again`() throws {
    let folder = try TemporaryDirectory()
    let wave = folder.path("source.wav")
    try ClickTrack(sampleCount: 11 * 48_000, clicks: [100]).write(to: wave)
    var news: [SoundNews] = []
    let writer = SoundPartWriter(in: folder.path) { news.append($0) }
    let mix = try TestMix(path: wave, sampleCount: 11 * 48_000)
    try mix.mixer().mix(to: folder.path("a.mp4"), parts: writer)
    let first = SoundPart.path(0, in: folder.path)
    let bytes = try Self.bytes(first)
    try Data().write(to: URL(filePath: first))
    try mix.mixer().mix(to: folder.path("b.mp4"), parts: writer)
    #expect(news.count == 3)
    #expect(news.last == .withdrawn)
    #expect(!bytes.isEmpty)
    #expect(try Self.bytes(first).isEmpty)
  }

  @Test func `sound is mixed although its parts cannot be written`() throws {
    let folder = try TemporaryDirectory()
    let wave = folder.path("source.wav")
    try ClickTrack(sampleCount: 11 * 48_000, clicks: [100]).write(to: wave)
    var news: [SoundNews] = []
    let writer = SoundPartWriter(in: folder.path("missing")) { news.append($0) }
    let mix = try TestMix(path: wave, sampleCount: 11 * 48_000)
    try mix.mixer().mix(to: folder.path("a.mp4"), parts: writer)
    try mix.mixer().mix(to: folder.path("b.mp4"))
    #expect(news == [.withdrawn])
    #expect(try Self.bytes(folder.path("a.mp4")) == Self.bytes(folder.path("b.mp4")))
  }

  /// Writes 25 s of AAC that lack a packet.
  private static func source(_ path: String, lacking packet: Int) throws {
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=25:seed=1:a=0.3", "-ac",
        "2", "-c:a", "aac", "-bsf:a", "noise=drop=eq(n\\,\(packet))", "-bitexact", path,
      ])
  }

  @Test func `packets that are missing in sources are found before any part is written`() throws {
    let folder = try TemporaryDirectory()
    let sources = [folder.path("a.m4a"), folder.path("b.m4a")]
    for source in sources { try Self.source(source, lacking: 900) }
    var news: [SoundNews] = []
    let writer = SoundPartWriter(in: folder.path) { news.append($0) }
    // Each source is 24.96 s long: 1170 packets, so that both are on one grid.
    let count: Int64 = 1170 * 1024
    var mix = try TestMix(path: sources[0], sampleCount: 2 * count).description
    mix.sources.append(try TestMix.source(sources[1]))
    mix.inputs[0].sampleCount = count
    mix.inputs.append(
      MixInput(
        source: 1, sourceSample: 0, targetSample: count, sampleCount: count, volume: Ramps()))
    mix.copiedParts = CopiedSoundParts(
      ranges: (0..<2).map {
        CopiedSoundRange(
          source: $0, sourceSample: 0, targetSample: Int64($0) * count, sampleCount: count)
      })
    let splicer = try #require(try SoundSplicer(mix) { try FileByteSource(path: $0.name) })
    let spliced = try #require(try splicer.splice(to: folder.path("mix.mp4"), parts: writer))
    #expect(!news.contains(.withdrawn))
    #expect(news.count == 5)
    // The gaps are at 19.2 s, and rounded times do not tell where the packets after them are.
    #expect(spliced.copied > RationalTime(37))
    #expect(spliced.copied < RationalTime(39))
  }

  @Test func `no part is written if a source has nothing to copy`() throws {
    let folder = try TemporaryDirectory()
    let source = folder.path("source.ts")
    try Self.source(source, lacking: 20)
    var news: [SoundNews] = []
    let writer = SoundPartWriter(in: folder.path) { news.append($0) }
    var mix = try TestMix(path: source, sampleCount: 20 * 48_000).description
    mix.inputs[0].sourceSample = 96_000
    mix.copiedParts = CopiedSoundParts(ranges: [
      CopiedSoundRange(
        source: 0, sourceSample: 96_000, targetSample: 0, sampleCount: 20 * 48_000)
    ])
    let splicer = try #require(try SoundSplicer(mix) { try FileByteSource(path: $0.name) })
    #expect(try splicer.splice(to: folder.path("mix.mp4"), parts: writer) == nil)
    #expect(news.isEmpty)
  }
}
