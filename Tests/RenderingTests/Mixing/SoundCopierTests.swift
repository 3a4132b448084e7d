import Crypto
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// The packets that are copied as sound, and cases in which copying would change the sound.
@Suite(.mayBlock) struct SoundCopierTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Two seconds of noise, and its index.
  private func source(_ coding: [String]) throws -> AudioSource {
    let path = folder.path("in.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "anoisesrc=r=48000:d=2:seed=1:a=0.3", "-c:a",
        "aac", "-aac_pns", "0",
      ] + coding + ["-bitexact", path])
    let index = try MediaProber.index(of: FileByteSource(path: path), named: path)
    let stream = try #require(index.audio.first)
    return AudioSource(
      asset: try Digest.of(file: path), name: path, start: index.start, stream: stream)
  }

  /// Whether a second from the given sample on is copied.
  private func copies(
    _ source: AudioSource, from first: Int64 = 0, hasEditList: Bool = true
  ) throws -> Bool {
    var mix = MixDescription(
      sampleCount: 48_000, settings: AudioSettings(), sources: [source], inputs: [])
    mix.copied = CopiedSound(
      source: 0, firstSample: first, sampleCount: 48_000, hasEditList: hasEditList)
    let copier = try #require(try SoundCopier(mix))
    return try copier.copy(to: folder.path("out.mp4")) { try FileByteSource(path: $0.name) } != nil
  }

  @Test func `sound that the source hides is not heard in the file`() throws {
    var source = try source([])
    #expect(try copies(source))
    // Like an edit list that begins late, and in the middle of the stream.
    source.stream.start += 20_000
    #expect(try !copies(source))
    #expect(try copies(source, from: 20_000))
  }

  @Test func `AAC whose decoding needs more than the previous frame is not copied`() throws {
    #expect(try !copies(source(["-profile:a", "aac_main"])))
  }

  @Test func `without an edit list, only the encoder's delay comes before the sound`() throws {
    let source = try source([])
    #expect(try copies(source, hasEditList: false))
    #expect(try copies(source, from: 24_000))
    #expect(try !copies(source, from: 24_000, hasEditList: false))
  }
}
