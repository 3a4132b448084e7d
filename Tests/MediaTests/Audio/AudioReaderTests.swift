import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct AudioReaderTests {
  private static func reader(
    of path: String, rate: Int = 48000, channels: Int = 2
  ) throws -> (reader: AudioReader, length: Int) {
    let source = try FileByteSource(path: path)
    let index = try MediaProber.index(of: source, named: path)
    let stream = try #require(index.audio.first)
    let length = try (stream.timeBase * stream.end - index.start)
      .ticks(of: RationalTime(1, Int64(rate)), rounding: .up)
    return (
      try AudioReader(
        source: source, named: path, stream: stream, origin: index.start, rate: rate,
        channels: channels), Int(length)
    )
  }

  /// The samples above half the level of a click. Neighboring ones count as one.
  private static func peaks(of samples: [Float], above level: Float = 0.3) -> [Int] {
    samples.indices.filter { index in
      let value = samples[index]
      return value > level && value >= (index > 0 ? samples[index - 1] : 0)
        && value > (index + 1 < samples.count ? samples[index + 1] : 0)
    }
  }

  @Test(arguments: [
    ("wav", ["-c:a", "pcm_s16le"]), ("mov", ["-c:a", "pcm_f32le"]),
    ("m4a", ["-c:a", "aac", "-b:a", "256k"]), ("mka", ["-c:a", "pcm_s16le"]),
    ("flac", ["-c:a", "flac"]), ("avi", ["-c:a", "pcm_s16le"]),
    ("mp3", ["-c:a", "libmp3lame", "-b:a", "320k"]),
    ("ogg", ["-c:a", "libvorbis", "-q:a", "10"]),
    ("opus", ["-c:a", "libopus", "-b:a", "320k"]),
    ("webm", ["-c:a", "libopus", "-b:a", "320k"]),
  ])
  func `a click is read at its exact sample`(container: String, encoding: [String]) throws {
    let folder = try TemporaryDirectory()
    let clicks = [4800, 30_000, 599_999, 700_001]
    try ClickTrack(sampleCount: 720_000, clicks: clicks)
      .write(to: folder.path("a.\(container)"), encoding: encoding)
    let (reader, length) = try Self.reader(of: folder.path("a.\(container)"))
    #expect(length == 720_000)
    #expect(Self.peaks(of: try reader.read(from: 0, count: 720_000)[1]) == clicks)
  }

  @Test(arguments: ["m4a", "mov"])
  func `Apple Lossless is read to its end even if the container shortens its last packet`(
    container: String
  ) throws {
    let folder = try TemporaryDirectory()
    let (whole, path) = (folder.path("whole.\(container)"), folder.path("short.\(container)"))
    let clicks = [4800, 46_300]
    try ClickTrack(sampleRate: 44_100, sampleCount: 46_305, clicks: clicks)
      .write(to: whole, encoding: ["-c:a", "alac"])
    var movie = try MovieBytes(path: whole)
    let times = try #require(movie.boxes("moov", "trak", "mdia", "minf", "stbl", "stts")?.last)
    // The last packet's 1249 samples become 100.
    #expect(movie.data[times].suffix(4).elementsEqual([0, 0, 4, 225]))
    movie.data.replaceSubrange(times.upperBound - 4..<times.upperBound, with: [0, 0, 0, 100])
    try movie.write(to: path)
    for path in [whole, path] {
      let (reader, length) = try Self.reader(of: path, rate: 44_100)
      #expect(length == 46_305)
      #expect(Self.peaks(of: try reader.read(from: 0, count: 46_400)[0]) == clicks)
    }
  }

  @Test func `a click at another rate is read at the sample for its time`() throws {
    let folder = try TemporaryDirectory()
    let clicks = [14_700, 441_000, 514_500]
    try ClickTrack(sampleRate: 44_100, sampleCount: 529_200, clicks: clicks)
      .write(to: folder.path("a.wav"))
    let (reader, length) = try Self.reader(of: folder.path("a.wav"))
    #expect(length == 576_000)
    #expect(
      Self.peaks(of: try reader.read(from: 0, count: length)[0]) == clicks.map { $0 * 160 / 147 })
  }

  @Test func `there is silence outside the stream`() throws {
    let folder = try TemporaryDirectory()
    try PCM.write(
      [[Float](repeating: 0.5, count: 1000)], sampleRate: 48000, to: folder.path("a.wav"))
    let (reader, _) = try Self.reader(of: folder.path("a.wav"))
    let samples = try reader.read(from: -500, count: 2000)
    let expected: [Float] =
      Array(repeating: 0, count: 500) + Array(repeating: 0.5, count: 1000)
      + Array(repeating: 0, count: 500)
    #expect(samples == [expected, expected])
  }

  @Test func `stereo becomes mono with half of each channel`() throws {
    let folder = try TemporaryDirectory()
    try PCM.write(
      [[Float](repeating: 0.5, count: 1000), [Float](repeating: 0.25, count: 1000)],
      sampleRate: 48000, to: folder.path("a.wav"))
    let (reader, _) = try Self.reader(of: folder.path("a.wav"), channels: 1)
    #expect(try reader.read(from: 0, count: 1000) == [Array(repeating: 0.375, count: 1000)])
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "chth_bbb_480p24_aac51_30s.mp4", "intel_car_432p_12.5fps_aac.mp4",
      "mdn_person_greenscreen_5994.mp4", "ax_bbb_1080p60_vp8_vorbis51.webm", "ax_bbb_mpeg2.ts",
      "ax_sample_with_ass.mkv", "ax_sowt_pcm_1080p50.mov", "ag_bbb_360p30_60s_aac.ts",
      "tc_nasa_13013_multistream.mp4", "rails_rotated_-90.mp4",
    ])
  func `samples do not depend on earlier reads`(name: String) throws {
    let (linear, length) = try Self.reader(of: SharedMedia.path(name))
    let total = min(length, 48000 * 25)
    var whole: [Float] = []
    while whole.count < total {
      whole += try linear.read(from: Int64(whole.count), count: min(7001, total - whole.count))[0]
    }
    let (random, _) = try Self.reader(of: SharedMedia.path(name))
    for step in 0..<12 {
      let first = (step * 7_919_003 + 11) % max(1, total - 3000)
      let count = min(3000, total - first)
      let samples = try random.read(from: Int64(first), count: count)[0]
      #expect(samples == Array(whole[first..<first + count]), "sample \(first)")
    }
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "intel_car_432p_12.5fps_aac.mp4", "ag_bbb_360p30_60s_aac.ts", "fl_bee_720p2997_h264_aac.mp4",
      "mdn_flower_vp8_vorbis.webm",
    ])
  func `samples match ffmpeg's own decoding`(name: String) throws {
    let path = SharedMedia.path(name)
    let index = try Footage.index(of: path)
    let stream = try #require(index.audio.first)
    let reader = try AudioReader(
      source: FileByteSource(path: path), named: name, stream: stream, origin: index.start,
      rate: stream.sampleRate, channels: 2)
    let sample = try RationalTime(1, Int64(stream.sampleRate))
    let first = try (stream.timeBase * stream.start - index.start)
      .ticks(of: sample, rounding: .nearest)
    let length = try (stream.timeBase * (stream.end - stream.start))
      .ticks(of: sample, rounding: .nearest)
    let decoded = try PCM.read(path, channels: 2)
    // One block only: the next one has a new decoder.
    let count = min(Int(length), decoded[0].count, stream.sampleRate * 10)
    #expect(try reader.read(from: first, count: count) == decoded.map { Array($0[..<count]) })
  }
}
