import Foundation
import Media
import Support
import Testing
import Timeline

/// The places where the packets of encoded clips can be cut.
@Suite(.mayBlock) struct CopyPointTests {
  private static func points(
    _ encoding: [String], named name: String = "clip.mp4", frameCount: Int = 48,
    then process: (TemporaryDirectory) throws -> String? = { _ in nil }
  ) throws -> CopyPoints? {
    let folder = try TemporaryDirectory()
    let path = folder.path(name)
    try FrameNamingClip(source: 1, frameCount: frameCount, encoding: encoding).write(to: path)
    let made = try process(folder) ?? path
    return try MediaProber.index(of: try FileByteSource(path: made), named: made).video[0].copying
  }

  private static let h264 = FrameNamingClip.h264 + ["-sc_threshold", "0"]

  @Test(arguments: ["clip.mp4", "clip.mkv", "clip.ts"])
  func `copies of H.264 with closed GOPs may begin at each keyframe`(_ name: String) throws {
    let points = try #require(try Self.points(Self.h264, named: name))
    #expect(points.starts == [0, 12, 24, 36])
    #expect(points.delay <= 2)
    #expect(points.part(of: 1..<48) == 12..<48)
    #expect(points.part(of: 0..<24) == 0..<24)
    #expect(points.parameterSetIDs == [0])
  }

  @Test(arguments: [(15, "clip.mp4"), (100, "clip.mp4"), (100, "clip.mkv")])
  func `the peak bit rate is that of the second with the most bits`(
    frameCount: Int, name: String
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path(name)
    try FrameNamingClip(source: 1, frameCount: frameCount, encoding: Self.h264).write(to: path)
    let answer = try Tool.run(
      "ffprobe", ["-v", "error", "-show_entries", "packet=pts_time,size", "-of", "csv=p=0", path])
    let packets = String(decoding: answer, as: UTF8.self).split(separator: "\n").compactMap {
      line -> (time: Double, bits: Int)? in
      let fields = line.split(separator: ",")
      guard fields.count == 2, let time = Double(fields[0]), let size = Int(fields[1]) else {
        return nil
      }
      return (time, size * 8)
    }
    try #require(packets.count == frameCount)
    // Half a millisecond less than a second, because times are printed rounded.
    let sums = packets.map { first in
      packets.reduce(0) { sum, packet in
        (0..<0.9995).contains(packet.time - first.time) ? sum + packet.bits : sum
      }
    }
    let expected = frameCount < 30 ? (sums.max() ?? 0) * 30 / frameCount : sums.max()
    let peak = try MediaProber.index(of: try FileByteSource(path: path), named: name)
      .video[0].copying?.peakBitRate
    #expect(peak == expected)
  }

  @Test(arguments: ["clip.mp4", "clip.ts"])
  func `copies of H.264 with open GOPs begin at each intra picture, without its leading frames`(
    name: String
  ) throws {
    let points = try #require(
      try Self.points(
        Self.h264 + ["-x264-params", "open-gop=1:bframes=3:b-adapt=0"], named: name))
    #expect(points.starts == [0, 12, 24, 36])
    #expect(points.references(before: 0) == nil)
    // Each state lists a frame number and a place in presentation order for each reference, both before the start.
    let state = try #require(points.references(before: 12))
    #expect(!state.isEmpty && state.count % 2 == 0 && state.allSatisfy { $0 < 0 })
    #expect(points.division(atOrAfter: 1) == nil)
    // The three frames before an intra picture follow it in the stream.
    #expect(points.part(of: 5..<36) == 12..<33)
  }

  @Test(arguments: ["clip.mp4", "clip.ts"])
  func `copies of H.264 with open GOPs begin at intra pictures after missing packets, not before`(
    name: String
  ) throws {
    let encoding = Self.h264 + ["-x264-params", "open-gop=1:bframes=3:b-adapt=0"]
    let points = try Self.points(encoding, named: name, frameCount: 96) { folder in
      let cut = folder.path("cut-\(name)")
      // The packet of frame 28, which others refer to.
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", folder.path(name), "-c", "copy", "-bsf:v",
          "noise=drop=eq(n\\,25)", cut,
        ])
      return cut
    }
    // Later frames have a number that is one less.
    #expect(try #require(points).starts == [0, 47, 59, 71, 83])
  }

  @Test(arguments: [(3, [0, 2]), (1, [0])])
  func `an H.264 stream with more references than it states is copied only from its start`(
    mostReferences: Int, starts: [Int]
  ) throws {
    let folder = try TemporaryDirectory()
    let (raw, path) = (folder.path("clip.h264"), folder.path("clip.mp4"))
    let stream = TinyH264(
      mostReferences: mostReferences,
      pictures: [
        .reset, .copy(releasing: []), .start(releasing: []), .copy(releasing: [2, 3]),
        .copy(releasing: nil), .copy(releasing: nil),
      ])
    try stream.data.write(to: URL(fileURLWithPath: raw))
    try Tool.run("ffmpeg", ["-v", "error", "-r", "30", "-i", raw, "-c", "copy", path])
    let index = try MediaProber.index(of: try FileByteSource(path: path), named: "clip.mp4")
    #expect(try #require(index.video[0].copying).starts == starts)
  }

  @Test func `copies of H.264 with gradual refresh begin only at the start`() throws {
    let points = try #require(
      try Self.points(Self.h264 + ["-x264-params", "intra-refresh=1:bframes=0"]))
    #expect(points.starts == [0])
  }

  private static let h265 = [
    "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params",
  ]

  @Test(arguments: [("clip.mp4", 0), ("clip.mp4", 1), ("clip.ts", 1), ("clip.mkv", 1)])
  func `copies of H.265 begin at each random access picture, without its leading frames`(
    name: String, isOpen: Int
  ) throws {
    let params =
      "log-level=none:keyint=12:min-keyint=12:scenecut=0:bframes=2:b-adapt=0:open-gop=\(isOpen)"
    let points = try #require(try Self.points(Self.h265 + [params], named: name))
    #expect(points.starts == [0, 12, 24, 36])
    #expect((points.division(atOrAfter: 1) == nil) == (isOpen == 1))
  }

  @Test
  func
    `a stream that begins with frames that no decoder shows is copied from its next keyframe on`()
    throws
  {
    let params = "log-level=none:keyint=12:min-keyint=12:scenecut=0:bframes=3:b-adapt=0:open-gop=1"
    let points = try Self.points(Self.h265 + [params], named: "clip.ts") { folder in
      // The part begins with a later keyframe, whose leading frames refer to earlier ones.
      let cut = folder.path("cut.ts")
      try Tool.run(
        "ffmpeg",
        ["-v", "error", "-ss", "0.5", "-i", folder.path("clip.ts"), "-c", "copy", cut])
      return cut
    }
    #expect(try #require(points).starts == [12])
  }

  @Test func `copies of H.265 leave out leading pictures, even if they can be decoded`() throws {
    let params =
      "log-level=none:keyint=12:min-keyint=12:scenecut=0:open-gop=0:radl=2:bframes=3:b-adapt=0"
    let points = try #require(try Self.points(Self.h265 + [params]))
    let times = points.starts
    #expect(times.count == 4)
    #expect(points.part(of: 0..<48) == 0..<48)
    #expect(points.part(of: 1..<48) == times[1]..<48)
    #expect(points.division(atOrAfter: 1) == nil)
  }

  @Test func `ProRes can be cut at every frame`() throws {
    let points = try #require(
      try Self.points(
        ["-c:v", "prores_ks", "-profile:v", "2", "-pix_fmt", "yuv422p10le"], named: "clip.mov",
        frameCount: 10))
    #expect(points.starts == Array(0..<10))
    #expect(points.part(of: 3..<7) == 3..<7)
    #expect(points.profile == "standard")
  }

  @Test func `frames that an edit list leaves out are not copied`() throws {
    let points = try Self.points(Self.h264) { folder in
      let cut = folder.path("cut.mp4")
      // The part begins within a group, whose first frames are in the file but not presented.
      try Tool.run(
        "ffmpeg",
        ["-v", "error", "-ss", "0.6", "-i", folder.path("clip.mp4"), "-c", "copy", cut])
      return cut
    }
    let starts = try #require(points).starts
    #expect(starts == [6, 18])
  }
}
