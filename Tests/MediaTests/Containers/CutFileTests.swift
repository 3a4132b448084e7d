import Foundation
import Media
import Support
import Testing
import Timeline

/// Files of Matroska, WebM and AVI that end before their last packet.
@Suite(.mayBlock) struct CutFileTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A container with the codecs that its files have here.
  struct Kind: Sendable, CustomTestStringConvertible {
    let fileExtension: String
    let codecs: [String]

    var testDescription: String { "\(fileExtension), \(codecs[1])" }
  }

  private static let kinds = [
    Kind(
      fileExtension: "mkv",
      codecs: ["-c:v", "libx264", "-bf", "0", "-g", "12", "-pix_fmt", "yuv420p", "-c:a", "aac"]),
    Kind(
      fileExtension: "mkv",
      codecs: ["-c:v", "libx264", "-bf", "3", "-g", "50", "-pix_fmt", "yuv420p", "-c:a", "flac"]),
    Kind(
      fileExtension: "webm",
      codecs: ["-c:v", "libvpx", "-cpu-used", "8", "-g", "12", "-c:a", "libopus"]),
    Kind(fileExtension: "avi", codecs: ["-c:v", "mpeg4", "-g", "12", "-c:a", "pcm_s16le"]),
    Kind(
      fileExtension: "avi",
      codecs: ["-c:v", "mjpeg", "-pix_fmt", "yuvj420p", "-c:a", "libmp3lame"]),
  ]

  private static let frameCount = 100

  private static func arguments(_ kind: Kind) -> [String] {
    let sources = [
      "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25", "-f", "lavfi", "-i",
      "sine=440:r=48000", "-t", "4",
    ]
    return sources + kind.codecs + ["-bitexact"]
  }

  /// The bytes of a file of four seconds.
  private func whole(_ kind: Kind) throws -> Data {
    let path = folder.path("whole.\(kind.fileExtension)")
    try Tool.run("ffmpeg", Self.arguments(kind) + [path])
    return try Data(contentsOf: URL(fileURLWithPath: path))
  }

  private func read(_ bytes: Data, _ kind: Kind) throws
    -> (source: FileByteSource, index: MediaIndex)
  {
    let path = folder.path("file.\(kind.fileExtension)")
    try bytes.write(to: URL(fileURLWithPath: path))
    let source = try FileByteSource(path: path)
    return (source, try MediaProber.index(of: source, named: "file"))
  }

  @Test(arguments: kinds)
  func `a truncated Matroska, WebM or AVI file is missing frames and sound up to its stated end`(
    kind: Kind
  ) throws {
    let bytes = try whole(kind)
    let all = try read(bytes, kind).index
    let (source, cut) = try read(bytes.prefix(bytes.count * 6 / 10), kind)
    let stream = try #require(cut.video.first)
    let times = stream.frames.times
    let damage = try #require(stream.damage?.last)
    #expect(damage.kind == .missing)
    #expect(damage.end == stream.frames.end)
    #expect(stream.copying == nil)
    #expect(abs(times.count - Self.frameCount) <= 1)
    let allFrames = all.video[0].frames
    let step = allFrames.times[1] - allFrames.times[0]
    #expect(abs(stream.frames.end - allFrames.end) <= step)
    let first = try #require(times.firstIndex(of: damage.start))
    #expect((20..<90).contains(first))
    #expect(Array(times[..<first]) == Array(allFrames.times[..<first]))

    let strict = try FrameReader(source: source, named: "file", stream: stream)
    #expect(try strict.frame(at: times[10]).time == times[10])
    #expect(throws: MediaError.self) { try strict.frame(at: times[times.count - 1]) }
    var noted: [Int64] = []
    let lenient = try FrameReader(
      source: source, named: "file", stream: stream, onDamage: .conceal
    ) { noted.append($0) }
    let late = Array(times.suffix(3))
    let digests = try late.map { try lenient.frame(at: $0).digest }
    #expect(noted == late)
    // The frames are the same wherever reading began.
    for (time, digest) in zip(late, digests).reversed() {
      let fresh = try FrameReader(
        source: source, named: "file", stream: stream, onDamage: .conceal)
      #expect(try fresh.frame(at: time).digest == digest)
      #expect(try lenient.frame(at: time).digest == digest)
    }
  }

  @Test(arguments: kinds)
  func `the missing sound of a truncated file is an error, or silence that is reported`(
    kind: Kind
  ) throws {
    let bytes = try whole(kind)
    let all = try read(bytes, kind).index
    let (source, cut) = try read(bytes.prefix(bytes.count * 6 / 10), kind)
    let sound = try #require(cut.audio.first)
    let lost = try #require(sound.damage?.last)
    #expect(lost.kind == .missing)
    #expect(lost.end == sound.end)
    let shift = Double(sound.end - all.audio[0].end) * sound.timeBase.seconds
    #expect(abs(shift) < 0.1)
    func reader(_ policy: DamagePolicy, _ note: @escaping (Range<Int64>) -> Void = { _ in })
      throws -> AudioReader
    {
      try AudioReader(
        source: source, named: "file", stream: sound, origin: cut.start, rate: 48_000, channels: 1,
        onDamage: policy, noteConcealed: note)
    }
    let error = try #require(throws: MediaError.self) {
      try reader(.fail).read(from: 0, count: 180_000)
    }
    #expect(error.code == .soundDamaged)
    var silent: [Range<Int64>] = []
    let samples = try reader(.conceal) { silent.append($0) }.read(from: 0, count: 180_000)
    #expect(samples[0].count == 180_000)
    #expect(silent.contains { $0.contains(170_000) })
  }

  /// The damage of an index's streams.
  private func damage(in index: MediaIndex) -> [[DamagedRange]?] {
    index.video.map(\.damage) + index.audio.map(\.damage)
  }

  @Test(arguments: kinds)
  func `nothing is missing from whole files, live recordings and files with trailing data`(
    kind: Kind
  ) throws {
    let bytes = try whole(kind)
    // The last bytes belong to an index or to tags.
    for file in [bytes, bytes + Data(count: 5000), bytes.dropLast(8)] {
      let found = try read(file, kind).index
      #expect(damage(in: found) == [nil, nil])
      #expect(found.video.first?.frames.times.count == Self.frameCount)
    }
    // A writer that cannot go back leaves the sizes open.
    let format = kind.fileExtension == "mkv" ? "matroska" : kind.fileExtension
    let live = try Tool.run("ffmpeg", Self.arguments(kind) + ["-f", format, "-"])
    #expect(damage(in: try read(live, kind).index) == [nil, nil])
    // In AVI, the last packet is returned even if it is cut.
    guard kind.fileExtension != "avi" else { return }
    let stopped = try read(live.prefix(live.count * 6 / 10), kind).index
    #expect(damage(in: stopped) == [nil, nil])
    #expect(try #require(stopped.video.first).frames.times.count < 90)
  }

  /// The bytes of a truncated Matroska file that states another duration, in milliseconds; 0 for none.
  private func cut(stating duration: Double) throws -> Data {
    var bytes = try whole(Self.kinds[0])
    let place = try #require(bytes.firstRange(of: [0x44, 0x89, 0x88])?.upperBound)
    withUnsafeBytes(of: duration.bitPattern.bigEndian) {
      bytes.replaceSubrange(place..<place + 8, with: $0)
    }
    return bytes.prefix(bytes.count * 6 / 10)
  }

  @Test(arguments: [0, 1e10])
  func `a truncated file without a plausible duration is missing one frame`(
    duration: Double
  ) throws {
    let index = try read(cut(stating: duration), Self.kinds[0]).index
    let stream = try #require(index.video.first)
    let damage = try #require(stream.damage)
    #expect(damage.count == 1)
    #expect(damage.first?.start == stream.frames.times.last)
    #expect(stream.frames.times.count < 90)
    #expect(index.audio.first?.damage?.count == 1)
  }

  @Test func `a truncated file with too many missing frames is rejected, and the error names it`()
    throws
  {
    var bytes = try whole(Self.kinds[3])
    // The length of the first stream, in its header (`strh`).
    let place = try #require(bytes.firstRange(of: Data("vids".utf8))?.lowerBound) + 32
    bytes.replaceSubrange(place..<place + 4, with: [0, 0, 0, 0x10])
    let error = try #require(throws: MediaError.self) {
      try read(bytes.prefix(bytes.count * 6 / 10), Self.kinds[3])
    }
    #expect(error.code == .truncated)
    #expect(error.subject == "file")
    #expect(error.message.contains("more than 1048576 frames are missing"))
  }

  /// Makes a file with a stream that ends after a second, and truncates it after that second.
  private func cutBehindPicture(_ kind: Kind, keeping share: Double) throws -> Data {
    let path = folder.path("short.\(kind.fileExtension)")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=320x192:r=25:d=1", "-f", "lavfi",
        "-i", "sine=440:r=48000:d=20",
      ] + kind.codecs + ["-bitexact", path])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    return bytes.prefix(Int(Double(bytes.count) * share))
  }

  @Test(arguments: [kinds[0], kinds[3]])
  func `nothing is missing from a video stream that ended before the cut`(kind: Kind) throws {
    let index = try read(cutBehindPicture(kind, keeping: 0.8), kind).index
    #expect(index.video.first?.damage == nil)
    #expect(index.video.first?.frames.times.count == 25)
    #expect(index.audio.first?.damage?.last?.kind == .missing)
  }

  @Test func `nothing is missing from a file cut within its index, whatever its stated duration`()
    throws
  {
    var bytes = try whole(Self.kinds[0])
    let place = try #require(bytes.firstRange(of: [0x44, 0x89, 0x88])?.upperBound)
    withUnsafeBytes(of: (20_000.0).bitPattern.bigEndian) {
      bytes.replaceSubrange(place..<place + 8, with: $0)
    }
    let index = try read(bytes.dropLast(8), Self.kinds[0]).index
    #expect(damage(in: index) == [nil, nil])
    #expect(index.video.first?.frames.times.count == Self.frameCount)
  }
}
