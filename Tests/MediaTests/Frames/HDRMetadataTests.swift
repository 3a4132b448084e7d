import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct HDRMetadataTests {
  static let metadata = HDRMetadata(
    masteringDisplay: MasteringDisplay(
      red: Chromaticity(x: 34_000, y: 16_000), green: Chromaticity(x: 13_250, y: 34_500),
      blue: Chromaticity(x: 7_500, y: 3_000), white: Chromaticity(x: 15_635, y: 16_450),
      leastLuminance: 50, greatestLuminance: 10_000_000),
    contentLight: ContentLight(greatest: 1000, greatestMean: 400))

  /// Writes a short clip of H.265 with all HDR10 metadata in band.
  static func clip(in folder: TemporaryDirectory) throws -> String {
    let path = folder.path("hdr10.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=128x128:r=25:d=0.2,format=yuv420p10",
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
        "log-level=none:hdr10=1:repeat-headers=1:colorprim=bt2020:transfer=smpte2084:"
          + "colormatrix=bt2020nc:range=limited:max-cll=1000,400:master-display="
          + "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)",
        path,
      ])
    return path
  }

  @Test func `the index contains the HDR metadata of the coded stream`() throws {
    let folder = try TemporaryDirectory()
    let path = try Self.clip(in: folder)
    let stream = try #require(
      try MediaProber.index(of: FileByteSource(path: path), named: path).video.first)
    #expect(stream.color.transfer == "smpte2084" && stream.color.primaries == "bt2020")
    #expect(stream.hdr == Self.metadata)
  }

  @Test(arguments: ["mp4", "mov", "matroska"])
  func `the container contains the HDR metadata that the muxer was given`(format: String) throws {
    let folder = try TemporaryDirectory()
    let path = try Self.clip(in: folder)
    let demuxer = try Demuxer(source: try FileByteSource(path: path), named: path)
    let copy = folder.path("copy.\(format)")
    let muxer = try Muxer(path: copy, format: format)
    let stream = try muxer.addStream(
      demuxer.streams[0].parameters, timeBase: try RationalTime(1, 12_800), hdr: Self.metadata)
    try muxer.start()
    let packet = try Packet()
    while try demuxer.read(into: packet) == .packet { try muxer.write(packet, to: stream) }
    try muxer.finish()
    let read = try Demuxer(source: try FileByteSource(path: copy), named: copy)
    #expect(read.streams[0].hdr == Self.metadata)
  }

  @Test(.needsSharedMedia) func `real HDR footage is indexed as such`() throws {
    func stream(_ name: String) throws -> VideoStream {
      let path = SharedMedia.path(name)
      return try #require(
        try MediaProber.index(of: FileByteSource(path: path), named: path).video.first)
    }
    let hlg = try stream("ax_hlg10_hevc_1080p.mp4")
    #expect(ColorSpace(hlg.color, size: hlg.size).transfer == .hybridLogGamma)
    let hdr10 = try stream("ax_hdr10_av1_720x1280.mp4")
    #expect(ColorSpace(hdr10.color, size: hdr10.size).transfer == .perceptualQuantizer)
  }
}
