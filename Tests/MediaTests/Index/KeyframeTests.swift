import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct KeyframeTests {
  @Test func `an old build of x264 is known wherever decoding begins`() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("old.mp4")
    try X264Clip(build: 142).write(to: path)
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.x264Build == 142)
    #expect(stream.frames.starts.count == 3)
    #expect(stream.copying?.starts == [0, 6, 12])
    let linear = try Footage.digests(of: source, stream: stream, count: 18)
    #expect(try Footage.digestsFromKeyframes(of: source, stream: stream) == linear)
    var unaware = stream
    unaware.x264Build = nil
    #expect(try Footage.digestsFromKeyframes(of: source, stream: unaware) != linear)
  }

  @Test(arguments: [(33, false), (34, true)])
  func `packets that name a build of x264 with different motion prediction are not copied`(
    build: Int, isCopied: Bool
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("old.mp4")
    try X264Clip(build: build).write(to: path)
    let stream = try MediaProber.index(of: try FileByteSource(path: path), named: path).video[0]
    #expect(stream.x264Build == build)
    #expect((stream.copying != nil) == isCopied)
  }

  @Test(arguments: [
    ("ts", ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=10:bframes=0"]),
    ("mkv", ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=10:bframes=0"]),
    ("mp4", ["-c:v", "libx264", "-x264-params", "intra-refresh=1:keyint=10:bframes=0"]),
    ("ts", ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=12:bframes=3:b-adapt=0"]),
    ("mkv", ["-c:v", "libx264", "-x264-params", "open-gop=1:keyint=12:bframes=3:b-adapt=0"]),
    ("mpg", ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "4"]),
    ("ts", ["-c:v", "mpeg2video", "-g", "12", "-bf", "2", "-q:v", "4"]),
    ("avi", ["-c:v", "mpeg4", "-g", "12", "-bf", "2", "-q:v", "4"]),
    ("avi", ["-c:v", "libxvid", "-g", "12", "-q:v", "4"]),
    ("mp4", ["-c:v", "libxvid", "-g", "12", "-q:v", "4"]),
    ("mkv", ["-c:v", "libx265", "-x265-params", "log-level=none:keyint=12:open-gop=1:bframes=3"]),
    ("webm", ["-c:v", "libvpx-vp9", "-lag-in-frames", "10", "-g", "12", "-cpu-used", "8"]),
    (
      "webm",
      [
        "-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "10", "-g", "12", "-cpu-used",
        "8",
      ]
    ),
    ("mkv", ["-c:v", "ffv1", "-g", "12"]),
  ])
  func `decoding from every keyframe equals linear decoding`(
    container: String, encoding: [String]
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("clip.\(container)")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=160x96:r=25", "-frames:v", "50"]
        + ["-pix_fmt", "yuv420p"] + encoding + ["-bitexact", path])
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.frames.starts.count > 1)
    let linear = try Footage.digests(of: source, stream: stream, count: 60)
    #expect(linear.count == stream.frames.times.count)
    #expect(try Footage.digestsFromKeyframes(of: source, stream: stream) == linear)
  }

  @Test(arguments: [
    ("mp4", ["libx264", "-x264-params", "keyint=10:bframes=3"]),
    ("mp4", ["libx264", "-x264-params", "keyint=10:bframes=3:open-gop=1"]),
    ("mp4", ["libx264", "-x264-params", "keyint=10:min-keyint=1:bframes=0"]),
    ("mp4", ["libx264", "-x264-params", "keyint=1"]),
    ("mp4", ["libx265", "-x265-params", "log-level=none:keyint=10:bframes=3"]),
    ("mp4", ["libx265", "-x265-params", "log-level=none:keyint=10:bframes=3:open-gop=0"]),
    ("mov", ["mpeg2video", "-g", "12", "-bf", "2"]), ("mov", ["prores"]),
    ("mkv", ["libx264", "-x264-params", "keyint=10:bframes=3"]),
    ("mkv", ["libx265", "-x265-params", "log-level=none:keyint=10:bframes=3"]),
    ("ts", ["libx264", "-x264-params", "keyint=10:bframes=3"]),
    ("avi", ["mpeg4", "-g", "12", "-bf", "0"]),
  ])
  func `a seek leads to the packet of its keyframe`(
    container: String, encoding: [String]
  ) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("clip.\(container)")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=160x96:r=25", "-frames:v", "50"]
        + ["-pix_fmt", "yuv420p", "-c:v"] + encoding + [path])
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    let demuxer = try Demuxer(source: source, named: path)
    demuxer.select(streams: [stream.streamIndex])
    let packet = try Packet()
    #expect(stream.frames.starts.count > 3)
    for keyframe in stream.frames.starts.reversed() {
      try demuxer.seek(stream: stream.streamIndex, to: keyframe)
      #expect(try demuxer.read(into: packet) == .packet)
      #expect(packet.isKey)
      #expect(packet.time == keyframe.time)
    }
  }

  @Test(arguments: ["mp4", "mkv"])
  func `a keyframe that needs a parameter set from an earlier packet is not seekable`(
    container: String
  ) throws {
    let folder = try TemporaryDirectory()
    var joined = Data()
    // The second half has other picture parameters, which come only before its first picture.
    for coding in ["cabac=1:weightp=2", "cabac=0:weightp=0"] {
      let part = folder.path("\(joined.count).h264")
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=160x96:r=25", "-frames:v", "24",
          "-pix_fmt", "yuv420p", "-c:v", "libx264", "-profile:v", "main", "-x264-params",
          "keyint=8:min-keyint=8:scenecut=0:bframes=0:\(coding)", "-bitexact",
          part,
        ])
      joined += RawH264.removing(
        [RawH264.sequenceSet, RawH264.pictureSet],
        afterFirstPictureOf: try Data(contentsOf: URL(fileURLWithPath: part)))
    }
    let (raw, path) = (folder.path("joined.h264"), folder.path("joined.\(container)"))
    try joined.write(to: URL(fileURLWithPath: raw))
    try Tool.run("ffmpeg", ["-v", "error", "-r", "25", "-i", raw, "-c", "copy", path])
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.frames.keyframes.count == 6)
    #expect(stream.frames.starts.count == 2)
    #expect(stream.copying == nil)
    let linear = try Footage.digests(of: source, stream: stream, count: 60)
    #expect(try Footage.digestsFromKeyframes(of: source, stream: stream) == linear)
    var trusting = stream
    trusting.frames = FrameTable(
      times: stream.frames.times, end: stream.frames.end,
      keyframes: stream.frames.keyframes.map { keyframe in
        var keyframe = keyframe
        keyframe.isSeekable = true
        return keyframe
      })
    // Other pictures, or damage that the decoder notices.
    #expect((try? Footage.digestsFromKeyframes(of: source, stream: trusting)) != linear)
  }
}
