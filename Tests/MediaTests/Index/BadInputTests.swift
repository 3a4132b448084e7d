import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct BadInputTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func failure(on bytes: Data) throws -> MediaError {
    let path = folder.path("input")
    try bytes.write(to: URL(fileURLWithPath: path))
    return try #require(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "the-asset")
    }
  }

  @Test func `a file without bytes is reported as empty`() throws {
    let error = try failure(on: Data())
    #expect(error.code == .emptyFile)
    #expect(error.subject == "the-asset")
  }

  @Test(arguments: ["hello world, this is not media at all", "{\"version\": 1}", "\u{0}\u{0}\u{0}"])
  func `text is not media`(text: String) throws {
    #expect(try failure(on: Data(text.utf8)).code == .notMedia)
  }

  private static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
  }

  private static func littleEndian(_ number: Int, _ count: Int) -> [UInt8] {
    bigEndian(number, count).reversed()
  }

  private static func joined(_ parts: [UInt8]...) -> Data { Data(parts.flatMap { $0 }) }

  /// Images of 20000 × 20000 pixels in black and white that end after their headers.
  private static let hugePictures: [String: Data] = [
    "png": joined(
      [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], bigEndian(13, 4), Array("IHDR".utf8),
      bigEndian(20_000, 4), bigEndian(20_000, 4), [1, 0, 0, 0, 0], bigEndian(0, 4)),
    "bmp": joined(
      Array("BM".utf8), littleEndian(62, 4), littleEndian(0, 4), littleEndian(62, 4),
      littleEndian(40, 4), littleEndian(20_000, 4), littleEndian(-20_000, 4), littleEndian(1, 2),
      littleEndian(1, 2), [UInt8](repeating: 0, count: 32)),
    "jpeg": joined(
      [0xFF, 0xD8, 0xFF, 0xE0], bigEndian(16, 2), [UInt8](repeating: 0, count: 14),
      [0xFF, 0xFF, 0xC0], bigEndian(11, 2), [8], bigEndian(20_000, 2), bigEndian(20_000, 2),
      [1, 1, 0x11, 0]),
  ]

  @Test(arguments: ["png", "bmp", "jpeg"])
  func `a picture with more pixels than libav supports is reported as too large`(
    kind: String
  ) throws {
    let error = try failure(on: try #require(Self.hugePictures[kind]))
    #expect(
      error
        == MediaError(
          .unsupportedCodec, "pictures of 20000 × 20000 pixels are too large", on: "the-asset",
          remedy: "scale them down to 134217728 pixels or fewer"))
  }

  @Test(arguments: ["wmv2", "flv", "snow"])
  func `a rarely used codec is rejected, and the error names it`(codec: String) throws {
    let path = folder.path("rare.mkv")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=1",
        "-strict", "-2", "-c:v", codec, path,
      ])
    let error = try failure(on: Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(error.code == .unsupportedCodec)
    #expect(
      error.message.contains("\(codec == "flv" ? "flv1" : codec) cannot be decoded: the-asset"))
  }

  @Test(arguments: [["-c:v", "libx264", "-bf", "2"], ["-vn", "-c:a", "aac"]])
  func `recordings that were appended to each other are not read as one`(_ encoding: [String])
    throws
  {
    let path = folder.path("part.ts")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=64x64:rate=25:duration=1",
        "-f", "lavfi", "-i", "sine=duration=1",
      ] + encoding + [path])
    let part = try Data(contentsOf: URL(fileURLWithPath: path))
    let error = try failure(on: part + part)
    #expect(error.code == .damaged)
    #expect(error.message.contains("the file's times jump backwards"))
    // The suggested remedy works.
    let both = folder.path("both.ts")
    try (part + part).write(to: URL(fileURLWithPath: both))
    let whole = folder.path("whole.mkv")
    try Tool.run("ffmpeg", ["-v", "error", "-y", "-i", both, "-c", "copy", whole])
    let index = try MediaProber.index(of: try FileByteSource(path: whole), named: "whole")
    #expect(index.duration > (try RationalTime(19, 10)))
  }

  @Test func `random bytes are not media`() throws {
    var random = SeededRandom(seed: 1)
    let bytes = (0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    #expect(try failure(on: Data(bytes)).code == .notMedia)
  }

  @Test(arguments: [
    "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n/etc/passwd\n#EXT-X-ENDLIST\n",
    "ffconcat version 1.0\nfile /etc/passwd\n",
    "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\n",
  ])
  func `playlists are refused`(text: String) throws {
    let code = try failure(on: Data(text.utf8)).code
    #expect(code == .unsupportedFormat || code == .notMedia)
  }

  @Test(arguments: [0.2, 0.5, 0.9])
  func `a truncated MP4 file is reported as truncated`(part: Double) throws {
    let path = folder.path("whole.mp4")
    try FrameNamingClip(source: 1, frameCount: 40).write(to: path)
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    #expect(
      try failure(on: whole.prefix(Int(Double(whole.count) * part))).code == .truncated)
  }

  @Test func `times that are out of range are damage`() throws {
    let path = folder.path("fragments.mp4")
    try FrameNamingClip(
      source: 1, frameCount: 40,
      encoding: FrameNamingClip.h264 + ["-g", "10", "-movflags", "frag_keyframe+empty_moov"]
    ).write(to: path)
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // Each fragment's decode time, 64 bits after the version and flags of its `tfdt`: the last is so far from the
    // others that their difference does not fit.
    let boxes = bytes.indices.dropLast(16).filter { bytes[$0..<$0 + 4] == Data("tfdt".utf8) }
    try #require(boxes.count > 2)
    for (number, box) in boxes.enumerated() {
      let time = number == boxes.count - 1 ? 6 << 60 : Int64(number) * 100_000 - 6 << 60
      withUnsafeBytes(of: time.bigEndian) { bytes.replaceSubrange(box + 8..<box + 16, with: $0) }
    }
    #expect(try failure(on: bytes).code == .damaged)
  }

  @Test func `an error names a missing file`() throws {
    let named = try #require(throws: MediaError.self) {
      try FileByteSource(path: "/no/such.mp4", named: "beach.mp4")
    }
    #expect(named.message.hasPrefix("cannot open the file: beach.mp4"), "\(named.message)")
    #expect(!named.message.contains("/no/such.mp4"), "\(named.message)")
    let error = try #require(throws: MediaError.self) { try FileByteSource(path: "/no/such.mp4") }
    #expect(error.subject == "/no/such.mp4")
  }

  @Test func `frames before the damage are delivered, and the others are reported as missing`()
    throws
  {
    let path = folder.path("whole.mp4")
    try FrameNamingClip(
      source: 1, frameCount: 60, encoding: FrameNamingClip.h264 + ["-movflags", "faststart"]
    ).write(to: path)
    let stream = try Footage.index(of: path).video[0]
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    let cut = folder.path("cut.mp4")
    try whole.prefix(whole.count * 6 / 10).write(to: URL(fileURLWithPath: cut))
    let reader = try FrameReader(source: FileByteSource(path: cut), named: "cut", stream: stream)
    #expect(try reader.frame(at: stream.frames.times[10]).time == stream.frames.times[10])
    let error = try #require(throws: MediaError.self) {
      try reader.frame(at: stream.frames.times[55])
    }
    #expect(error.code == .frameMissing)
    #expect(error.subject == "cut")
    #expect(try reader.frame(at: stream.frames.times[3]).time == stream.frames.times[3])
  }

  @Test func `a failing source is distinguished from a damaged file`() throws {
    let path = folder.path("whole.mp4")
    try FrameNamingClip(source: 1, frameCount: 40).write(to: path)
    let source = FailingSource(file: try FileByteSource(path: path))
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: source, named: "remote")
    }
    #expect(error.code == .readFailed)
  }
}

/// A source that fails after its first kilobyte.
private struct FailingSource: ByteSource {
  struct Unreachable: Error {}
  let file: FileByteSource
  var size: Int64 { file.size }

  func read(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    guard offset < 1024 else { throw Unreachable() }
    return try file.read(at: offset, into: buffer)
  }
}
