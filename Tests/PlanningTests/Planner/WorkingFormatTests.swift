import Planning
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct WorkingFormatTests {
  static let size = PixelSize(width: 1920, height: 1080)

  static func stream(
    _ transfer: String?, _ hdr: HDRMetadata? = nil
  ) -> (stream: VideoStream, isStillImage: Bool) {
    let stream = VideoStream(
      streamIndex: 0, codec: "hevc", timeBase: .zero, size: size, pixelFormat: "yuv420p10le",
      pixelAspectRatio: RationalTime(1), cleanAperture: nil, orientation: .identity,
      color: ColorTags(
        primaries: transfer == nil ? nil : "bt2020", transfer: transfer,
        matrix: transfer == nil ? nil : "bt2020nc", range: "tv"),
      fieldOrder: "progressive", nominalFrameRate: nil, parameterSets: [],
      frames: FrameTable(times: [0], end: 1, keyframes: []), hdr: hdr)
    return (stream, false)
  }

  static let still = (stream: stream(nil).stream, isStillImage: true)

  @Test func `8 bits in standard dynamic range need no working format`() {
    #expect(
      WorkingFormat.chosen(
        bitDepth: nil, carriesHDR: false, size: Self.size, streams: [Self.stream(nil)]) == nil)
    #expect(
      WorkingFormat.chosen(
        bitDepth: 8, carriesHDR: true, size: Self.size, streams: [Self.stream("arib-std-b67")])
        == nil)
  }

  @Test func `10 bits in standard dynamic range have the tags for the size`() {
    let format = WorkingFormat.chosen(
      bitDepth: 10, carriesHDR: false, size: Self.size, streams: [Self.stream("smpte2084")])
    #expect(
      format
        == WorkingFormat(
          bitDepth: 10,
          color: ColorTags(
            primaries: "bt709", transfer: "bt709", matrix: "bt709", range: "tv")))
  }

  @Test(arguments: ["arib-std-b67", "smpte2084"])
  func `high dynamic range of one kind is kept with its metadata`(transfer: String) {
    let hdr = HDRMetadata(
      masteringDisplay: nil, contentLight: ContentLight(greatest: 800, greatestMean: 200))
    for bitDepth in [nil, 10] {
      let format = WorkingFormat.chosen(
        bitDepth: bitDepth, carriesHDR: true, size: Self.size,
        streams: [Self.stream(transfer), Self.still, Self.stream(transfer, hdr)])
      #expect(
        format
          == WorkingFormat(
            bitDepth: 10,
            color: ColorTags(
              primaries: "bt2020", transfer: transfer, matrix: "bt2020nc", range: "tv"), hdr: hdr))
    }
  }

  @Test func `mixed transfers become standard dynamic range`() {
    for streams in [
      [Self.stream("arib-std-b67"), Self.stream("smpte2084")],
      [Self.stream("smpte2084"), Self.stream(nil)],
    ] {
      #expect(
        WorkingFormat.chosen(
          bitDepth: nil, carriesHDR: true, size: Self.size, streams: streams) == nil)
    }
  }
}
