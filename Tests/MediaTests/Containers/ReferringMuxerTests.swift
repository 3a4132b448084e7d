import Crypto
import Foundation
import Media
import Support
import Testing
import Timeline

/// Files whose packets are in another file.
@Suite(.mayBlock) struct ReferringMuxerTests {
  private let folder: TemporaryDirectory
  private let source: String
  private let sourceBytes: [UInt8]

  init() throws {
    folder = try TemporaryDirectory()
    source = folder.path("source.mp4")
    // Packets of some hundred bytes.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "testsrc2=size=160x96:rate=30,noise=alls=20:allf=t:all_seed=1", "-frames:v", "40", "-c:v",
        "libx264", "-preset", "veryfast", "-g", "12", "-pix_fmt", "yuv420p", source,
      ])
    sourceBytes = Array(try Data(contentsOf: URL(fileURLWithPath: source)))
  }

  /// How a packet is written: as it is, as the file's own, with other first bytes, or with another byte in the middle.
  private enum Change: CaseIterable { case none, own, first, middle }

  /// Writes the source's packets to a file that refers to the source, or to one that contains them.
  ///
  /// - Parameter change: how the packet with a number is changed.
  private func written(
    _ name: String, format: String, refers: Bool, change: (Int) -> Change = { _ in .none }
  ) throws -> [UInt8] {
    let path = folder.path("\(name).\(format)")
    let demuxer = try Demuxer(source: FileByteSource(path: source), named: source)
    let muxer = try Muxer(
      path: path, format: format, referringTo: refers ? Digest.of(sourceBytes) : nil)
    let stream = try muxer.addStream(
      demuxer.streams[0].parameters, timeBase: demuxer.streams[0].timeBase)
    try muxer.start()
    let packet = try Packet()
    var number = 0
    while try demuxer.read(into: packet) == .packet {
      var bytes = packet.withUnsafeBytes(Array.init)
      let change = change(number)
      switch change {
      case .none, .own: break
      // An empty unit of H.264's filler data.
      case .first: bytes = [0, 0, 0, 2, 12, 128] + bytes
      case .middle: bytes[bytes.count / 2] ^= 1
      }
      let made = try Packet(bytes: bytes)
      (made.time, made.decodingTime) = (packet.time, packet.decodingTime)
      (made.timeBase, made.isKey, made.duration) = (packet.timeBase, packet.isKey, packet.duration)
      if refers, change != .own {
        try muxer.write(made, to: stream, madeFrom: packet, in: MemoryByteSource(sourceBytes))
      } else {
        try muxer.write(made, to: stream)
      }
      number += 1
    }
    let content = try muxer.finish()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    #expect(content == WrittenContent.of(bytes))
    return bytes
  }

  private func whole(_ bytes: [UInt8]) throws -> [UInt8] {
    let source = try ReferencingByteSource.whole(MemoryByteSource(bytes)) { digest in
      #expect(digest == Digest.of(sourceBytes))
      return MemoryByteSource(sourceBytes)
    }
    return try source.bytes(upTo: Int(source.size))
  }

  @Test(arguments: ["mp4", "mov"])
  func `the whole file is the one that contains its packets`(format: String) throws {
    let plain = try written("plain", format: format, refers: false)
    let referring = try written("referring", format: format, refers: true)
    #expect(referring.count < plain.count / 2)
    #expect(try whole(referring) == plain)
    let table = try #require(try MemoryByteSource(referring).references)
    let read = try ReferencingByteSource(
      MemoryByteSource(referring), table, in: MemoryByteSource(sourceBytes))
    #expect(try read.referencedContent() == table.content)
  }

  @Test func `packets may be the file's own, or differ from the referenced file's in a part`()
    throws
  {
    let change = { (number: Int) in Change.allCases[number % Change.allCases.count] }
    let plain = try written("plain", format: "mp4", refers: false, change: change)
    let referring = try written("mixed", format: "mp4", refers: true, change: change)
    #expect(referring.count < plain.count)
    #expect(try whole(referring) == plain)
    let table = try #require(try MemoryByteSource(referring).references)
    #expect(table.pieces.count > 20)
  }

  @Test func `a file that refers to nothing has no table`() throws {
    let plain = try written("plain", format: "mp4", refers: false)
    #expect(try written("own", format: "mp4", refers: true) { _ in .own } == plain)
  }

  @Test func `a file refers to no more bytes than the referenced file has`() throws {
    let demuxer = try Demuxer(source: FileByteSource(path: source), named: source)
    let original = try Packet()
    try #require(try demuxer.read(into: original) == .packet && original.count > 1000)
    // As in a slideshow that has one sample for many frames.
    let files = try [false, true].map { refers in
      let path = folder.path("repeated-\(refers).mp4")
      let muxer = try Muxer(
        path: path, format: "mp4", referringTo: refers ? Digest.of(sourceBytes) : nil)
      let stream = try muxer.addStream(
        demuxer.streams[0].parameters, timeBase: RationalTime(1, 30))
      try muxer.start()
      for number in 0..<Int64(2 * sourceBytes.count / original.count) {
        let packet = try Packet(sharing: original)
        packet.timeBase = try RationalTime(1, 30)
        (packet.time, packet.decodingTime, packet.duration) = (number, number, 1)
        try muxer.write(
          packet, to: stream, madeFrom: original, in: MemoryByteSource(sourceBytes))
      }
      try muxer.finish()
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let table = try #require(try MemoryByteSource(files[1]).references)
    #expect(table.content.byteCount <= Int64(sourceBytes.count))
    #expect(try whole(files[1]) == files[0])
  }

  @Test func `bytes that the container changes are the file's own`() throws {
    // The container gets units with start codes, and writes them with lengths.
    let annexB = folder.path("units.h264")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", source, "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "mpegts",
        annexB,
      ])
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: annexB)))
    let path = folder.path("changed.mp4")
    let demuxer = try Demuxer(source: MemoryByteSource(bytes), named: annexB)
    let muxer = try Muxer(path: path, format: "mp4", referringTo: Digest.of(bytes))
    let parameters = try StreamParameters(copying: demuxer.streams[0].parameters)
    parameters.setCodecTag(nil)
    let stream = try muxer.addStream(parameters, timeBase: RationalTime(1, 30))
    try muxer.start()
    let packet = try Packet()
    var number: Int64 = 0
    while try demuxer.read(into: packet) == .packet {
      packet.timeBase = try RationalTime(1, 30)
      (packet.time, packet.decodingTime) = (number, number)
      try muxer.write(packet, to: stream, madeFrom: packet, in: MemoryByteSource(bytes))
      number += 1
    }
    #expect(number == 40)
    try muxer.finish()
    #expect(try FileByteSource(path: path).references == nil)
  }
}
