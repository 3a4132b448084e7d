import Crypto
import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MuxerTests {
  private let folder: TemporaryDirectory
  private let joined: String

  /// Joins three chunks, one with fewer frames than the encoder's delay, with space for the index at the front.
  init() throws {
    folder = try TemporaryDirectory()
    joined = folder.path("joined.mp4")
    let frameDuration = try RationalTime(1001, 30000)
    let ranges = [0..<33, 33..<35, 35..<80]
    let chunks = ranges.enumerated().map { (folder.path("\($0.offset).mp4"), $0.element) }
    for (path, range) in chunks {
      try NamedPictures.writeChunk(range, to: path, frameDuration: frameDuration)
    }
    try NamedPictures.append(
      chunks.map { ($0.0, $0.1.count) }, to: joined, frameDuration: frameDuration,
      options: ["moov_size": "65536"])
  }

  @Test func `joined chunks show every frame once and in order`() throws {
    let names = try FrameNameReader.names(in: joined)
    #expect(names == (0..<80).map { FrameName(source: 1, frame: $0) })
  }

  @Test func `joined chunks decode without errors`() throws {
    let output = try Tool.output(
      of: "ffmpeg", ["-v", "error", "-i", joined, "-f", "null", "-"])
    #expect(output.standardError == "")
  }

  @Test func `joined chunks have uniform decoding times and start at zero`() throws {
    let packets = try NamedPictures.packets(of: joined)
    #expect(zip(packets, packets.dropFirst()).allSatisfy { $1[1] - $0[1] == 1001 })
    #expect(packets.map { $0[0] }.min() == 0)
  }

  @Test func `the index fits in the space reserved at the front`() throws {
    let data = try Data(contentsOf: URL(fileURLWithPath: joined))
    let index = try #require(data.range(of: Data("moov".utf8)))
    let media = try #require(data.range(of: Data("mdat".utf8)))
    #expect(index.lowerBound < media.lowerBound)
  }

  /// Writes a file of 2 MB, calling `meanwhile` with its path before it is finished.
  private func written(
    format: String, options: [String: String], writesBehind: Bool = false,
    meanwhile: (String) throws -> Void = { _ in }
  ) throws -> (path: String, content: WrittenContent) {
    let path = folder.path(writesBehind ? "behind.\(format)" : "long.\(format)")
    let muxer = try Muxer(
      path: path, format: format, options: options, writesBehind: writesBehind)
    let demuxer = try Demuxer(source: FileByteSource(path: joined), named: joined)
    let frameDuration = try RationalTime(1, 25)
    _ = try muxer.addStream(demuxer.streams[0].parameters, timeBase: frameDuration)
    try muxer.start()
    for number in 0..<50 { try muxer.write(Self.packet(number), to: 0) }
    try meanwhile(path)
    return (path, try muxer.finish())
  }

  private static func packet(_ number: Int) throws -> Packet {
    let packet = try Packet(bytes: [UInt8](repeating: UInt8(number & 255), count: 40_000))
    packet.timeBase = try RationalTime(1, 25)
    packet.time = Int64(number)
    packet.decodingTime = Int64(number)
    packet.duration = 1
    packet.isKey = true
    return packet
  }

  /// Each of these layouts seeks back to write to the beginning of the file, or reserves space there.
  private static let layouts: [(format: String, options: [String: String])] = [
    ("mp4", [:]), ("mp4", ["moov_size": "65536"]), ("mov", [:]),
    ("matroska", ["reserve_index_space": "4096"]),
  ]

  @Test(arguments: layouts)
  func `the reported content of a file matches the bytes that read back`(
    _ layout: (format: String, options: [String: String])
  ) throws {
    let file = try written(format: layout.format, options: layout.options)
    #expect(try WrittenContent.of(file: file.path) == file.content)
    #expect(file.content.byteCount > 2_000_000)
  }

  @Test(arguments: layouts)
  func `a thread that writes a file writes the same bytes`(
    _ layout: (format: String, options: [String: String])
  ) throws {
    let file = try written(format: layout.format, options: layout.options)
    let behind = try written(
      format: layout.format, options: layout.options, writesBehind: true)
    #expect(try Digest.of(file: behind.path) == Digest.of(file: file.path))
    #expect(behind.content == file.content)
  }

  /// With few packets, the failure is noticed when the file is finished.
  @Test(arguments: [3, 1000])
  func `a thread that cannot write reports it for a later packet or at the end`(
    _ packetCount: Int
  ) throws {
    let muxer = try Muxer(path: "/dev/full", format: "matroska", writesBehind: true)
    let demuxer = try Demuxer(source: FileByteSource(path: joined), named: joined)
    _ = try muxer.addStream(demuxer.streams[0].parameters, timeBase: try RationalTime(1, 25))
    let error = try #require(throws: MediaError.self) {
      try muxer.start()
      for number in 0..<packetCount { try muxer.write(Self.packet(number), to: 0) }
      try muxer.finish()
    }
    #expect(error.code == .writeFailed)
    #expect(error.systemError == ENOSPC)
    #expect(error.remedy == "check its folder's free space and permissions")
  }

  @Test(arguments: layouts)
  func `a file that changes while it is written does not match its reported content`(
    _ layout: (format: String, options: [String: String])
  ) throws {
    let file = try written(format: layout.format, options: layout.options) {
      try FileDamage.flipBit(of: $0, at: 600_000)
    }
    #expect(try WrittenContent.of(file: file.path) != file.content)
  }

  @Test(arguments: [false, true])
  func `a part of the file that changed is not overwritten`(_ writesBehind: Bool) throws {
    let error = try #require(throws: MediaError.self) {
      try written(format: "mp4", options: [:], writesBehind: writesBehind) { path in
        try blockUntil("the start of the file is written") {
          try Data(contentsOf: URL(fileURLWithPath: path)).count > 1_000_000
        }
        try FileDamage.flipBit(of: path, at: 100_000)
      }
    }
    #expect(error.code == .writeFailed)
  }

  @Test func `an error names a path that cannot be written`() throws {
    let error = try #require(throws: MediaError.self) {
      try Muxer(path: "/nonexistent/out.mp4", format: "mp4")
    }
    #expect(error.code == .writeFailed)
    #expect(error.subject == "/nonexistent/out.mp4")
  }
}
