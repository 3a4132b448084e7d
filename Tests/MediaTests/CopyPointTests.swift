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

  @Test func `copies of H.264 with open GOPs begin only at the start`() throws {
    let points = try #require(
      try Self.points(Self.h264 + ["-x264-params", "open-gop=1:bframes=3:b-adapt=0"]))
    #expect(points.starts == [0])
  }

  @Test func `copies of H.265 begin only at IDR pictures`() throws {
    let encoding = [
      "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-bf", "2", "-x265-params",
    ]
    let params = "log-level=none:keyint=12:min-keyint=12:scenecut=0:open-gop="
    #expect(try Self.points(encoding + [params + "0"])?.starts == [0, 12, 24, 36])
    #expect(try Self.points(encoding + [params + "1"])?.starts == [0])
  }

  @Test func `no copy begins with a picture with leading pictures, even if it resets the decoder`()
    throws
  {
    let params =
      "log-level=none:keyint=12:min-keyint=12:scenecut=0:open-gop=0:radl=2:bframes=3:b-adapt=0"
    let points = try #require(
      try Self.points([
        "-c:v", "libx265", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-x265-params", params,
      ]))
    #expect(points.starts == [0])
    #expect(points.part(of: 0..<48) == 0..<48)
    #expect(points.part(of: 1..<48) == nil)
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
