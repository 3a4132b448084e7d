import Crypto
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

/// Pieces of a stream whose sound is an interim mix.
@Suite(.mayBlock) struct InterimPieceTests {
  private static let frameCount = 600

  /// A mix of a sound that gets higher and higher, from a sample of the file on.
  private static func mix(
    in folder: TemporaryDirectory, skipping skipped: Int64
  ) throws -> TestMix {
    let path = folder.path("rising.wav")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "aevalsrc=0.3*sin(2*PI*t*(200+40*t)):s=48000:d=24",
        "-ac", "2", path,
      ])
    var mix = try TestMix(path: path, sampleCount: 960_000 + skipped)
    mix.description.skippedSamples = skipped > 0 ? skipped : nil
    return mix
  }

  private static func open(_ source: AudioSource) throws -> any ByteSource {
    try FileByteSource(path: source.name)
  }

  private static func samples(of path: String) throws -> [Float] {
    let bytes = try Tool.run(
      "ffmpeg", ["-v", "error", "-i", path, "-map", "0:a", "-ac", "1", "-f", "f32le", "-"])
    return bytes.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  @Test(arguments: [(0, false), (72_001, false), (72_001, true)] as [(Int64, Bool)])
  func `pieces that are made alone sound as if they were made together`(
    skipped: Int64, isDucked: Bool
  ) throws {
    var chunks = try TestChunks(frameCount: Self.frameCount)
    chunks.frameDuration = .second(over: 30)
    var mix = try Self.mix(in: chunks.folder, skipping: skipped)
    if isDucked {
      // It is heard twice, a little louder than the threshold.
      for second in [6, 15] as [Int64] {
        mix.description.inputs.append(
          MixInput(
            source: 0, sourceSample: 0, targetSample: second * 48_000 + 7, sampleCount: 96_000,
            volume: Ramps([.step(at: .zero, value: 0.1)])))
      }
      mix.description.ducking = [
        MixDucking(inputs: [0], under: [1, 2], ducking: Ducking(release: RationalTime(4)))
      ]
    }
    let (path, count) = try chunks.chunk(0..<Self.frameCount)
    var facts = chunks.facts(frameCount: count)
    facts.isFollowing = true
    let chunk = StreamedChunk(
      path: path, sha256: try BlockDigests.of(file: path).content, segment: 0, firstFrame: 0)
    func piece(_ frames: Range<Int>) throws -> [UInt8] {
      try StreamedPiece(facts, interimMix: mix.description, open: Self.open)
        .make(frames, of: chunk, hasPictures: false)
    }
    let header = try StreamedPiece(facts, interimMix: mix.description, open: Self.open)
      .makeHeader(from: chunk, hasPictures: false)
    let ranges = StreamLayout(frameDuration: facts.frameDuration).pieces(ofFrames: count)
    #expect(ranges.count == 4)
    // In any order.
    let pieces = try ranges.reversed().map(piece).reversed()
    #expect(try piece(ranges[2]) == Array(pieces)[2])
    let stream = chunks.folder.path("stream.mp4")
    try Data(header + pieces.joined()).write(to: URL(filePath: stream))
    let messages = try Tool.output(
      of: "ffmpeg", ["-v", "warning", "-i", stream, "-f", "null", "-"])
    #expect(messages.standardError == "")

    let (file, whole) = (chunks.folder.path("whole.m4a"), try mix.mixer())
    try whole.mix(to: file)
    let (heard, expected) = (try Self.samples(of: stream), try Self.samples(of: file))
    // Players of a stream hear the encoder's delay, which the file hides.
    let delay = heard.count - expected.count
    #expect(delay >= 1024 && delay < 2048)
    let differences = zip(heard.dropFirst(1024), expected).map { abs($0 - $1) }
    let largest = try #require(differences.max())
    let place = differences.firstIndex(of: largest) ?? 0
    #expect(largest < 0.02, "\(largest) at sample \(place)")
  }

  @Test func `the piece at the end of a plan that continues ends with its frames`() throws {
    let chunks = try TestChunks(frameCount: 30)
    let mix = try Self.mix(in: chunks.folder, skipping: 0)
    let (path, count) = try chunks.chunk(0..<30)
    var facts = chunks.facts(frameCount: count)
    (facts.isFollowing, facts.isPartial) = (true, true)
    let chunk = StreamedChunk(
      path: path, sha256: try BlockDigests.of(file: path).content, segment: 0, firstFrame: 0)
    let bytes = try StreamedPiece(facts, interimMix: mix.description, open: Self.open)
      .makeHeader(from: chunk, hasPictures: true)
    let fragment = try StreamedPiece(facts, interimMix: mix.description, open: Self.open)
      .make(0..<30, of: chunk, hasPictures: true)
    let stream = chunks.folder.path("stream.mp4")
    try Data(bytes + fragment).write(to: URL(filePath: stream))
    let seconds =
      Double(chunks.frameDuration.numerator * 30) / Double(chunks.frameDuration.denominator)
    #expect(abs(Double(try Self.samples(of: stream).count) / 48_000 - seconds) < 0.05)
  }
}
