import Foundation
import Media
import Support
import Testing
import Timeline

/// The places where AV1 packets can be cut.
@Suite(.mayBlock) struct AV1CopyPointTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func points(_ path: String) throws -> CopyPoints? {
    try MediaProber.index(of: try FileByteSource(path: path), named: path).video[0].copying
  }

  @Test(
    arguments: [AV1Clip.svt, AV1Clip.aom], ["clip.mp4", "clip.mkv", "clip.webm"])
  func `copies of AV1 may begin at each keyframe and end anywhere`(
    _ encoding: [String], _ name: String
  ) throws {
    let points = try #require(
      try points(try AV1Clip.write(encoding, named: name, in: folder)))
    #expect(points.starts == [0, 12, 24])
    #expect(points.delay == 0)
    #expect(points.part(of: 1..<36) == 12..<36)
    #expect(points.part(of: 0..<17) == 0..<17)
    #expect(points.sequenceHeaders?.count == 1)
  }

  @Test func `no copy begins at an intra-only frame, which does not reset the decoder`() throws {
    let path = try AV1Clip.write(
      AV1Clip.svt + ["-svtav1-params", "lp=1:irefresh-type=1"], in: folder)
    #expect(try #require(try points(path)).starts == [0])
    #expect(try AV1Headers.fields(of: path)["frame_type"]?.contains(2) == true)
  }

  @Test func `keyframes without a header use the one in the container`() throws {
    let path = try AV1Clip.write(
      AV1Clip.svt, in: folder, then: [["-bsf:v", "filter_units=remove_types=1"]])
    #expect(try AV1Headers.fields(of: path)["seq_profile"]?.count == 1)
    let points = try #require(try points(path))
    #expect(points.starts == [0, 12, 24])
    #expect(points.sequenceHeaders?.count == 1)
  }

  /// Writes the packets of a clip again, changed by `change`.
  private func rewritten(_ path: String, change: ([[UInt8]]) -> [[UInt8]]) throws -> String {
    let demuxer = try Demuxer(source: try FileByteSource(path: path), named: path)
    let made = folder.path("made.mp4")
    let muxer = try Muxer(path: made, format: "mp4")
    let base = try RationalTime(1, 30)
    let stream = try muxer.addStream(demuxer.streams[0].parameters, timeBase: base)
    try muxer.start()
    for (number, bytes) in change(try AV1Clip.packets(of: path)).enumerated() {
      let packet = try Packet(bytes: bytes)
      packet.timeBase = base
      (packet.time, packet.decodingTime, packet.duration) = (Int64(number), Int64(number), 1)
      packet.isKey = number % 12 == 0
      try muxer.write(packet, to: stream)
    }
    try muxer.finish()
    return made
  }

  @Test func `packets that show no frame or two frames are not copied`() throws {
    let path = try AV1Clip.write(AV1Clip.svt, in: folder)
    #expect(try points(try rewritten(path) { $0 })?.starts == [0, 12, 24])
    #expect(
      try points(
        try rewritten(path) { Array($0[..<20]) + [$0[20] + $0[21]] + Array($0[22...]) }) == nil)
    #expect(
      try points(
        try rewritten(path) { packets in
          // The frame's first byte is the first of its header: show_frame is its fourth bit.
          var packets = packets
          let bytes = packets[35]
          packets[35] = Array(bytes.dropLast(bytes.count)) + [0x32, 1, 0x20]
          return packets
        }) == nil)
  }

  @Test func `a stream whose pictures change format is not copied`() throws {
    let wide = folder.path("wide.mp4")
    try FrameNamingClip(
      source: 2, frameCount: 12, width: 160, height: 96,
      encoding: AV1Clip.svt + ["-pix_fmt", "yuv420p10le"]
    ).write(to: wide)
    let path = try AV1Clip.write(AV1Clip.svt, in: folder)
    let other = try AV1Clip.packets(of: wide)
    #expect(try points(try rewritten(path) { Array($0[..<24]) + other }) == nil)
  }
}
