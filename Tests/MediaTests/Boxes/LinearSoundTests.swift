import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct LinearSoundTests {
  @Test(arguments: [
    ("ipcm", 16, true, "pcm_s16le"), ("ipcm", 16, false, "pcm_s16be"),
    ("ipcm", 24, true, "pcm_s24le"), ("ipcm", 24, false, "pcm_s24be"),
    ("ipcm", 32, true, "pcm_s32le"), ("ipcm", 32, false, "pcm_s32be"),
    ("fpcm", 32, true, "pcm_f32le"), ("fpcm", 32, false, "pcm_f32be"),
    ("fpcm", 64, true, "pcm_f64le"), ("fpcm", 64, false, "pcm_f64be"),
  ])
  func `linear PCM in MP4 has the sample size and byte order that its configuration states`(
    type: String, bits: UInt8, isLittle: Bool, codec: String
  ) throws {
    let folder = try TemporaryDirectory()
    let samples = Self.tone
    let path = try Self.file(samples, type, bits: bits, isLittle: isLittle, codec, in: folder)
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: path)
    let stream = try #require(index.audio.first)
    #expect(stream.codec == codec)
    #expect(stream.channels == 2)
    let reader = try AudioReader(
      source: source, named: path, stream: stream, origin: index.start, rate: 48_000, channels: 2)
    let read = try reader.read(from: 0, count: samples[0].count + 10)
    for (channel, expected) in zip(read, samples) {
      let worst = zip(channel, expected).map { abs($0 - $1) }.max() ?? 1
      #expect(worst < 1 / 30_000)
      #expect(channel.suffix(10).allSatisfy { $0 == 0 })
    }
  }

  @Test func `linear PCM with an unknown sample size is rejected, and the error names the file`()
    throws
  {
    let folder = try TemporaryDirectory()
    let path = try Self.file(
      Self.tone, "ipcm", bits: 20, isLittle: true, "pcm_s24le", in: folder)
    #expect {
      try MediaProber.index(of: FileByteSource(path: path), named: "odd.mp4")
    } throws: { error in
      (error as? MediaError)?.message
        == "20-bit PCM samples are not supported: odd.mp4: "
        + "convert the file's audio to 16, 24 or 32 bits"
    }
  }

  @Test(arguments: ["ipcm", "fpcm"], [0, 5])
  func `linear PCM without a whole configuration is rejected, and the error names the file`(
    type: String, length: Int
  ) throws {
    let folder = try TemporaryDirectory()
    let path = try Self.file(
      Self.tone, type, bits: 24, isLittle: true, "pcm_s24le", configurationLength: length,
      in: folder)
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "bare.mp4")
    }
    #expect(error.code == .unsupportedCodec)
    #expect(error.subject == "bare.mp4")
    #expect(error.problem == "the file does not describe its PCM samples (\(type))")
  }

  private static let tone: [[Float]] = [440.0, 660].map { (frequency: Double) -> [Float] in
    let step = 2 * Double.pi * frequency / 48_000
    return (0..<30_000).map { Float(0.5 * sin(step * Double($0))) }
  }

  /// Writes a file with samples of a codec under a sample entry of MP4.
  private static func file(
    _ samples: [[Float]], _ type: String, bits: UInt8, isLittle: Bool, _ codec: String,
    configurationLength: Int = 6, in folder: TemporaryDirectory
  ) throws -> String {
    let (plain, path) = (folder.path("plain.mov"), folder.path("linear.mp4"))
    try PCM.write(samples, sampleRate: 48_000, to: plain, encoding: ["-c:a", codec])
    var movie = try MovieBytes(path: plain)
    let whole: [UInt8] = [0, 0, 0, 0, isLittle ? 1 : 0, bits]
    let configuration =
      configurationLength == 0
      ? Data() : MovieBytes.box("pcmC", Array(whole.prefix(configurationLength)))
    // ISO/IEC 14496-12, 12.2.3.2: an entry of two channels at 48 kHz.
    let entry: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 16, 0, 0, 0, 0, 0xBB, 0x80, 0, 0]
      + configuration
    movie.replace(
      "moov", "trak", "mdia", "minf", "stbl", "stsd",
      with: MovieBytes.box("stsd", [0, 0, 0, 0, 0, 0, 0, 1] + MovieBytes.box(type, entry)))
    movie.replace(
      "ftyp", with: MovieBytes.box("ftyp", Array("isom".utf8) + [0, 0, 2, 0] + Array("isom".utf8)))
    try movie.write(to: path)
    return path
  }
}
