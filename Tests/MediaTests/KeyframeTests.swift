import Foundation
import Media
import Support
import Testing
import Timeline

struct KeyframeTests {
  @Test func `an old build of x264 is known wherever decoding begins`() throws {
    let folder = try TemporaryDirectory()
    let path = try oldClip(in: folder)
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.x264Build == 142)
    #expect(stream.frames.starts.count == 3)
    let linear = try Footage.digests(of: source, stream: stream, count: 18)
    #expect(try Footage.digestsFromKeyframes(of: source, stream: stream) == linear)
    var unaware = stream
    unaware.x264Build = nil
    #expect(try Footage.digestsFromKeyframes(of: source, stream: unaware) != linear)
  }

  /// High 4:4:4 that is read as what build 142 of x264 would have written. Pictures this small decode without an error
  /// either way.
  private func oldClip(in folder: TemporaryDirectory) throws -> String {
    let (path, old) = (folder.path("new.mp4"), folder.path("old.mp4"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "mandelbrot=s=32x64:r=25:end_scale=0.01,format=yuv444p",
        "-frames:v", "18", "-c:v", "libx264", "-profile:v", "high444", "-x264-params",
        "keyint=6:min-keyint=6:scenecut=0:8x8dct=1:bframes=0:qp=24", "-bitexact", path,
      ])
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let mark = Data("x264 - core ".utf8)
    let place = try #require(bytes.range(of: mark)?.upperBound)
    bytes.replaceSubrange(place..<place + 3, with: Data("142".utf8))
    try bytes.write(to: URL(fileURLWithPath: old))
    return old
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
    ("webm", ["-c:v", "libvpx", "-auto-alt-ref", "1", "-lag-in-frames", "10", "-g", "12"]),
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

  @Test(arguments: ["mp4", "mkv"])
  func `a keyframe that needs a parameter set from an earlier packet is not seekable`(
    container: String
  ) throws {
    let folder = try TemporaryDirectory()
    var joined = Data()
    // The second half has other picture parameters, which stand before its first picture alone.
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
      joined += Self.withoutRepeatedSets(try Data(contentsOf: URL(fileURLWithPath: part)))
    }
    let (raw, path) = (folder.path("joined.h264"), folder.path("joined.\(container)"))
    try joined.write(to: URL(fileURLWithPath: raw))
    try Tool.run("ffmpeg", ["-v", "error", "-r", "25", "-i", raw, "-c", "copy", path])
    let source = try FileByteSource(path: path)
    let stream = try MediaProber.index(of: source, named: path).video[0]
    #expect(stream.frames.keyframes.count == 6)
    #expect(stream.frames.starts.count == 2)
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

  /// A raw stream of H.264 whose parameter sets stand before its first picture only.
  private static func withoutRepeatedSets(_ stream: Data) -> Data {
    let mark = Data([0, 0, 1])
    var (result, pictures, rest) = (Data(), 0, stream[...])
    while let start = rest.range(of: mark) {
      rest = rest[start.upperBound...]
      let unit = rest.prefix(upTo: rest.range(of: mark)?.lowerBound ?? rest.endIndex)
      guard let first = unit.first else { continue }
      let kind = first & 0x1F
      if (1...5).contains(kind) { pictures += 1 }
      if pictures == 0 || kind != 7 && kind != 8 { result += mark + unit }
    }
    return result
  }
}
