import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ColorSpaceTests {
  static func tags(
    _ primaries: String? = nil, _ transfer: String? = nil, _ matrix: String? = nil,
    _ range: String? = nil
  ) -> ColorTags {
    ColorTags(primaries: primaries, transfer: transfer, matrix: matrix, range: range)
  }

  @Test(arguments: [
    (1080, "bt709", "bt709", "bt709"), (720, "bt709", "bt709", "bt709"),
    (576, "bt470bg", "smpte170m", "bt470bg"), (480, "smpte170m", "smpte170m", "smpte170m"),
    (486, "smpte170m", "smpte170m", "smpte170m"), (360, "bt709", "bt709", "smpte170m"),
    (2160, "bt709", "bt709", "bt709"),
  ])
  func `the color space of untagged pictures depends on their height, as in players`(
    rows: Int, primaries: String, transfer: String, matrix: String
  ) {
    let size = PixelSize(width: 640, height: rows)
    let space = ColorSpace(Self.tags(), size: size)
    #expect(space.tags(size: size) == Self.tags(primaries, transfer, matrix, "tv"))
    #expect(space == .standard(size: size))
  }

  @Test func `color tags are honored at any size`() {
    let size = PixelSize(width: 3840, height: 2160)
    #expect(
      ColorSpace(Self.tags("bt470bg", "gamma28", "bt470bg", "pc"), size: size)
        == ColorSpace(
          primaries: .bt470bg, transfer: .standard, matrix: .bt601, isFullRange: true))
    #expect(
      ColorSpace(Self.tags("bt2020", "smpte2084", "bt2020nc", "tv"), size: size)
        == ColorSpace(primaries: .bt2020, transfer: .perceptualQuantizer, matrix: .bt2020))
    #expect(
      ColorSpace(Self.tags(nil, "arib-std-b67", "bt2020nc"), size: size)
        == ColorSpace(primaries: .bt2020, transfer: .hybridLogGamma, matrix: .bt2020))
  }

  @Test func `an untagged still image is sRGB at any size`() {
    let space = ColorSpace(
      Self.tags(nil, nil, "bt470bg", "pc"), size: PixelSize(width: 720, height: 576),
      isStillImage: true)
    #expect(space.primaries == .bt709)
  }

  @Test func `the tags of a color space convert back to it`() {
    for primaries in ColorSpace.Primaries.allCases {
      for matrix in ColorSpace.Matrix.allCases {
        for transfer in [
          ColorSpace.Transfer.standard, .perceptualQuantizer, .hybridLogGamma,
        ] {
          for rows in [576, 1080] {
            let size = PixelSize(width: 1000, height: rows)
            let space = ColorSpace(
              primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: rows == 576)
            #expect(ColorSpace(space.tags(size: size), size: size) == space)
          }
        }
      }
    }
  }

  @Test func `unsupported tags are reported`() {
    #expect(Self.tags("bt709", "linear").unsupported?.value == "linear")
    #expect(Self.tags(nil, nil, "ictcp").unsupported?.key == "matrix")
    #expect(Self.tags("bt2020", "smpte2084", "bt2020nc", "tv").unsupported == nil)
  }

  @Test func `combined metadata have the values of the brightest source`() throws {
    func display(_ greatest: Int) -> MasteringDisplay {
      let point = Chromaticity(x: 15_635, y: 16_450)
      return MasteringDisplay(
        red: point, green: point, blue: point, white: point, leastLuminance: 1,
        greatestLuminance: greatest)
    }
    let one = try #require(
      HDRMetadata(
        masteringDisplay: display(10_000_000),
        contentLight: ContentLight(greatest: 900, greatestMean: 300)))
    let other = try #require(
      HDRMetadata(
        masteringDisplay: display(40_000_000),
        contentLight: ContentLight(greatest: 500, greatestMean: 400)))
    let joined = try #require(HDRMetadata.joined([one, other]))
    #expect(joined.masteringDisplay == display(40_000_000))
    #expect(joined.contentLight == ContentLight(greatest: 900, greatestMean: 400))
    #expect(HDRMetadata.joined([]) == nil)
  }
}
