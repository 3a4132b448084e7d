import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct FrameReaderTests {
  @Test(.needsSharedMedia, arguments: Footage.video)
  func `a frame that is read at random matches linear decoding`(name: String) throws {
    let source = try FileByteSource(path: SharedMedia.path(name))
    let stream = try MediaProber.index(of: source, named: name).video[0]
    let digests = try Footage.digests(of: source, stream: stream, count: 60)
    let reader = try FrameReader(source: source, named: name, stream: stream, deinterlaces: false)
    for step in 0..<min(digests.count, 12) {
      let index = (step * 7919 + 13) % digests.count
      let frame = try reader.frame(at: stream.frames.times[index])
      #expect(frame.digest == digests[index], "frame \(index)")
    }
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "ag_bbb_360p30_60s_aac.ts", "intel_person_432p_10fps_139s.mp4", "rails_rotated_-90.mp4",
      "tc_nasa_13013_multistream.mp4",
    ])
  func `every frame can be read from the last to the first`(name: String) throws {
    let source = try FileByteSource(path: SharedMedia.path(name))
    let stream = try MediaProber.index(of: source, named: name).video[0]
    let reader = try FrameReader(source: source, named: name, stream: stream)
    for time in stream.frames.times.suffix(40).reversed() {
      #expect(try reader.frame(at: time).time == time)
    }
  }

  @Test(arguments: [
    ("mp4", FrameNamingClip.h264), ("mkv", FrameNamingClip.h264), ("ts", FrameNamingClip.h264),
    ("avi", FrameNamingClip.h264 + ["-bf", "0"]), ("avi", FrameNamingClip.h264),
    ("mov", ["-c:v", "prores"]),
    ("mpg", ["-c:v", "mpeg2video", "-q:v", "3", "-g", "12", "-bf", "2"]),
    ("mp4", FrameNamingClip.h264 + ["-x264-params", "open-gop=1"]),
    ("ts", FrameNamingClip.h264 + ["-x264-params", "open-gop=1"]),
    (
      "mp4",
      ["-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none:keyint=12"]
    ),
    (
      "webm",
      [
        "-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "10", "-g", "12", "-cpu-used",
        "8",
      ]
    ),
    ("webm", ["-c:v", "libvpx-vp9", "-lag-in-frames", "10", "-g", "12", "-cpu-used", "8"]),
  ])
  func `frames show their own names in any container`(
    container: String, encoding: [String]
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("clip.\(container)")
    try FrameNamingClip(source: 7, frameCount: 50, rate: "25", encoding: encoding).write(to: path)
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.frames.times.count == 50)
    let reader = try FrameReader(source: source, named: path, stream: stream)
    let scaler = Scaler(to: Scaler.Output(size: PixelSize(width: 320, height: 180)))
    for step in 0..<50 {
      let index = step * 17 % 50
      let frame = try scaler.scale(try reader.frame(at: stream.frames.times[index]))
      #expect(frame.name == FrameName(source: 7, frame: index))
    }
  }

  @Test func `no frame is lost if a file states one time twice`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("ramp.mpg")
    // Frames this small share packets, and each packet has only one time.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "nullsrc=s=64x64:r=25:d=3,geq=lum='16+2*N':cb=128:cr=128", "-c:v", "mpeg2video", "-q:v",
        "2", "-g", "12", "-bf", "0", "-pix_fmt", "yuv420p", path,
      ])
    let named = try Footage.decodedTimes(of: path)
    #expect(zip(named, named.dropFirst()).contains { $0 >= $1 })
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    let times = stream.frames.times
    #expect(times.count == 75)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 3600 })
    #expect(zip(named, times).allSatisfy { (0...3600).contains($1 - $0) })
    let reader = try FrameReader(source: source, named: path, stream: stream)
    for step in 0..<75 {
      let index = step * 17 % 75
      let frame = try reader.frame(at: times[index])
      #expect(frame.withUnsafePlanes { Int($0[0].base[0]) } == 16 + 2 * index)
    }
  }

  @Test func `a time that was written twice moves no frame and invalidates only its own keyframes`()
    throws
  {
    let folder = try TemporaryDirectory()
    let path = folder.path("ramp.mkv")
    // From the 20th frame on, and again from the 40th and so on, frames are a step early.
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i",
        "nullsrc=s=64x64:r=25:d=4,geq=lum='16+2*N':cb=128:cr=128", "-vf",
        "setpts='N-gte(N,20)-gte(N,40)-gte(N,60)-gte(N,80)'", "-fps_mode", "passthrough",
        "-enc_time_base", "1/25", "-c:v", "ffv1", "-g", "1", "-pix_fmt", "yuv420p", path,
      ])
    let named = try Footage.decodedTimes(of: path)
    #expect(named.count == 100)
    let first = named.indices.filter { !named[..<$0].contains(named[$0]) }
    #expect(first == Array(0..<100).filter { $0 % 20 > 0 || $0 == 0 })
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.frames.times == first.map { named[$0] })
    #expect(stream.frames.keyframes.count == 92)
    let reader = try FrameReader(source: source, named: path, stream: stream)
    for step in 0..<96 {
      let index = step * 17 % 96
      let frame = try reader.frame(at: stream.frames.times[index])
      #expect(frame.withUnsafePlanes { Int($0[0].base[0]) } == 16 + 2 * first[index])
    }
  }

  @Test(arguments: ["mp4", "mkv", "mov"])
  func `frames of a variable rate keep their times`(container: String) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("clip.\(container)")
    let times = [0, 40, 50, 210, 211, 500, 533, 567, 600, 1400, 1500, 1501]
    try FrameNamingClip(source: 9, frameCount: times.count, milliseconds: times).write(to: path)
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    let seen = try stream.frames.times.map { try stream.timeBase * $0 }
    #expect(try seen == times.map { try RationalTime(Int64($0), 1000) })
    let reader = try FrameReader(source: source, named: path, stream: stream)
    for (index, time) in stream.frames.times.enumerated().reversed() {
      #expect(try reader.frame(at: time).name == FrameName(source: 9, frame: index))
    }
  }
}

extension Frame {
  /// A hash over every byte of the picture's samples.
  var digest: Int {
    withUnsafePlanes { planes in
      var hasher = Hasher()
      for plane in planes {
        for row in 0..<plane.height {
          hasher.combine(
            bytes: UnsafeRawBufferPointer(
              start: plane.base + row * plane.stride, count: min(plane.width, plane.stride)))
        }
      }
      return hasher.finalize()
    }
  }

  /// The name that a picture shows.
  var name: FrameName? {
    withUnsafePlanes { planes in
      var luma: [UInt8] = []
      for row in 0..<planes[0].height {
        luma += UnsafeBufferPointer(
          start: planes[0].base + row * planes[0].stride, count: planes[0].width)
      }
      return FrameName.read(
        luma[...], width: planes[0].width, area: (0, 0, planes[0].width, planes[0].height))
    }
  }
}
