import Foundation
import Media
import Support
import Testing
import Timeline

/// PNG files whose text or color profile inflates to a huge size.
@Suite(.mayBlock) struct PNGSourceTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// A PNG file of 32 × 24 pixels with a chunk after its header.
  private func picture(with chunk: Data) throws -> FileByteSource {
    let path = folder.path("plain.png")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=size=32x24", "-frames:v", "1", path,
      ])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The signature's 8 bytes, and the header's 25.
    bytes.insert(contentsOf: chunk, at: 33)
    let changed = folder.path("changed.png")
    try bytes.write(to: URL(fileURLWithPath: changed))
    return try FileByteSource(path: changed)
  }

  private func chunk(_ type: String, _ body: Data) -> Data {
    let length = withUnsafeBytes(of: UInt32(body.count).bigEndian) { Data($0) }
    return length + Data(type.utf8) + body + Data(count: 4)
  }

  /// A zlib stream that inflates to zeros: one zero, followed by copies of it, 258 for every 13 bits.
  private func bomb(_ count: Int) -> Data {
    var bytes: [UInt8] = [0x78, 0x9C]
    var (bits, held) = (UInt64(0), 0)
    func put(_ value: UInt64, _ width: Int) {
      bits |= value << held
      held += width
      while held >= 8 {
        bytes.append(UInt8(truncatingIfNeeded: bits))
        bits >>= 8
        held -= 8
      }
    }
    put(0b011, 3)  // the last block, of fixed codes
    put(0b0000_1100, 8)  // the byte 0, whose code 00110000 comes with its first bit lowest
    for _ in 0..<count / 258 {
      put(0b1010_0011, 8)  // the length 258, whose code is 11000101
      put(0, 5)  // the distance 1
    }
    put(0, 7)
    put(0, 7)
    return Data(bytes) + Data(count: 4)
  }

  /// The most memory that this process has used so far, in bytes.
  private func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    let kibibytes = try #require(line.split(whereSeparator: \.isWhitespace).dropFirst().first)
    return try #require(Int(kibibytes)) << 10
  }

  @Test(arguments: [("zTXt", "Comment\u{0}\u{0}"), ("iCCP", "profile\u{0}\u{0}")])
  func `a text or profile that inflates to a gibibyte uses no memory`(type: String, head: String)
    throws
  {
    let source = try picture(with: chunk(type, Data(head.utf8) + bomb(1 << 30)))
    let before = try peak()
    let index = try MediaProber.index(of: source, named: "bomb.png")
    let stream = try #require(index.video.first)
    let reader = try FrameReader(source: source, named: "bomb.png", stream: stream)
    let frame = try reader.frame(at: 0)
    #expect(frame.width == 32 && frame.height == 24)
    // Other tests of this process use some memory at the same time.
    #expect(try peak() - before < 768 << 20)
  }

  /// A file of another container with one PNG picture that has a chunk after its header.
  ///
  /// ffmpeg would inflate the chunk as well, so its type is one that it skips until the file is written.
  private func film(_ kind: String, with type: String, _ body: Data) throws -> FileByteSource {
    let hidden = "prZZ"
    _ = try picture(with: chunk(hidden, body))
    let path = folder.path("film.\(kind)")
    try Tool.run(
      "ffmpeg", ["-v", "error", "-y", "-i", folder.path("changed.png"), "-c", "copy", path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.firstRange(of: Data(hidden.utf8)))
    bytes.replaceSubrange(place, with: Data(type.utf8))
    try bytes.write(to: URL(fileURLWithPath: path))
    return try FileByteSource(path: path)
  }

  @Test(
    arguments: ["mov", "mkv", "avi"],
    [("zTXt", "Comment\u{0}\u{0}"), ("iCCP", "profile\u{0}\u{0}")])
  func `a picture in a video that inflates to a gibibyte uses no memory`(
    kind: String, unused: (type: String, head: String)
  ) throws {
    let source = try film(kind, with: unused.type, Data(unused.head.utf8) + bomb(1 << 30))
    let before = try peak()
    let index = try MediaProber.index(of: source, named: "bomb")
    let stream = try #require(index.video.first)
    #expect(stream.codec == "png")
    #expect(stream.size == PixelSize(width: 32, height: 24))
    #expect(stream.pixelFormat == "rgb24")
    let reader = try FrameReader(source: source, named: "bomb", stream: stream)
    let frame = try reader.frame(at: try #require(stream.frames.times.first))
    #expect(frame.width == 32 && frame.height == 24)
    // Other tests of this process use some memory at the same time.
    #expect(try peak() - before < 768 << 20)
  }

  @Test func `a picture in a video with too many chunks is rejected, and the error names the file`()
    throws
  {
    let many = Data((0..<100_001).map { _ in chunk("tEXt", Data()) }.joined())
    // One chunk contains all of them. Once its length is set to 0, it ends before the first of them.
    _ = try picture(with: chunk("prZZ", Data(count: 4) + many))
    let path = folder.path("many.mov")
    try Tool.run(
      "ffmpeg", ["-v", "error", "-y", "-i", folder.path("changed.png"), "-c", "copy", path])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let place = try #require(bytes.firstRange(of: Data("prZZ".utf8))).lowerBound
    bytes.replaceSubrange(place - 4..<place, with: Data(count: 4))
    try bytes.write(to: URL(fileURLWithPath: path))
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "many.mov")
    }
    #expect(error.message.contains("many.mov"))
    #expect(error.message.contains("more than 100000 chunks"))
  }

  @Test func `nothing after the end of a PNG file is read`() throws {
    _ = try picture(with: Data())
    let plain = try Data(contentsOf: URL(fileURLWithPath: folder.path("changed.png")))
    // A picture without pixels, so that libav goes on to the next one.
    let bytes =
      plain.prefix(33) + chunk("IEND", Data()) + plain.prefix(33)
      + chunk("zTXt", Data("Comment\u{0}\u{0}".utf8) + bomb(1 << 30)) + plain[33...]
    let path = folder.path("two.png")
    try bytes.write(to: URL(fileURLWithPath: path))
    let before = try peak()
    #expect(throws: MediaError.self) {
      try MediaProber.index(of: FileByteSource(path: path), named: "two.png")
    }
    // Other tests of this process use some memory at the same time.
    #expect(try peak() - before < 768 << 20)
  }

  @Test func `a PNG file with too many chunks is rejected, and the error names it`() throws {
    let source = try picture(
      with: Data((0..<100_001).map { _ in chunk("tEXt", Data()) }.joined()))
    let error = try #require(throws: MediaError.self) {
      try MediaProber.index(of: source, named: "many.png")
    }
    #expect(error.message.contains("many.png"))
    #expect(error.message.contains("more than 100000 chunks"))
  }
}
