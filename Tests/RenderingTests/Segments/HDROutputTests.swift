import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct HDROutputTests {
  static let hdr = HDRMetadata(
    masteringDisplay: MasteringDisplay(
      red: Chromaticity(x: 34_000, y: 16_000), green: Chromaticity(x: 13_250, y: 34_500),
      blue: Chromaticity(x: 7_500, y: 3_000), white: Chromaticity(x: 15_635, y: 16_450),
      leastLuminance: 50, greatestLuminance: 10_000_000),
    contentLight: ContentLight(greatest: 1000, greatestMean: 400))

  /// Renders a PQ source into a chunk, and the chunk into a file.
  static func rendered(_ codec: VideoSettings.Codec, in folder: TemporaryDirectory) throws -> String
  {
    let size = PixelSize(width: 640, height: 64)
    let path = try ColorTests.bars(
      [(721, 512, 512), (940, 512, 512), (500, 400, 640), (300, 560, 480)], width: 640,
      height: 64,
      tags: [
        "-color_primaries", "bt2020", "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
        "-color_range", "tv",
      ], format: "yuv420p10", in: folder)
    let scene = TestScene(
      paths: [path], size: size,
      video: VideoSettings(
        codec: codec, crf: 1, encoderPreset: codec == .av1 ? "10" : "ultrafast", bitDepth: 10),
      workingFormat: WorkingFormat(
        bitDepth: 10, color: ColorKernelTests.pq.tags(size: size), hdr: hdr),
      layers: [TestScene.Layer(source: 0, frames: [0, 1, 2])])
    let chunk = folder.path("chunk.mp4")
    try scene.render(to: chunk)
    return chunk
  }

  @Test(arguments: [VideoSettings.Codec.hevc, .av1])
  func `the stream and its container have the tags and metadata of HDR`(
    codec: VideoSettings.Codec
  ) throws {
    let folder = try TemporaryDirectory()
    let chunk = try Self.rendered(codec, in: folder)
    let source = try FileByteSource(path: chunk)
    let stream = try #require(try MediaProber.index(of: source, named: chunk).video.first)
    #expect(stream.pixelFormat == "yuv420p10le")
    #expect(
      stream.color
        == ColorTags(
          primaries: "bt2020", transfer: "smpte2084", matrix: "bt2020nc", range: "tv"))
    #expect(stream.hdr == Self.hdr)
    let reader = try FrameReader(source: source, named: chunk, stream: stream)
    let frame = try reader.frame(at: stream.frames.times[0])
    let luma = try frame.withUnsafePlanes(of: UInt16.self) { planes in
      [80, 240, 400, 560].map { Int(planes[0].base[32 * planes[0].stride + $0]) }
    }
    for (value, wanted) in zip(luma, [721, 940, 500, 300]) { #expect(abs(value - wanted) <= 4) }
  }

  @Test(arguments: [VideoSettings.Codec.hevc, .av1])
  func `HDR metadata is in band, too`(codec: VideoSettings.Codec) throws {
    let folder = try TemporaryDirectory()
    let chunk = try Self.rendered(codec, in: folder)
    let shown = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-show_frames", "-read_intervals", "%+#1", "-show_entries",
          "frame_side_data=side_data_type,max_content,max_average", chunk,
        ]), as: UTF8.self)
    #expect(shown.contains("Mastering display metadata"))
    #expect(shown.contains("max_content=1000") && shown.contains("max_average=400"))
  }
}
