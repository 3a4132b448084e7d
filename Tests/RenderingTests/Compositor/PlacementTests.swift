import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct PlacementTests {
  static let canvas = PixelSize(width: 1920, height: 1080)

  static func stream(
    _ width: Int, _ height: Int, aspect: RationalTime = RationalTime(1),
    aperture: PixelRect? = nil
  ) -> VideoStream {
    VideoStream(
      streamIndex: 0, codec: "h264", timeBase: RationalTime(1),
      size: PixelSize(width: width, height: height), pixelFormat: "yuv420p",
      pixelAspectRatio: aspect, cleanAperture: aperture, orientation: .identity,
      color: ColorTags(primaries: nil, transfer: nil, matrix: nil, range: nil),
      fieldOrder: "progressive", nominalFrameRate: nil, parameterSets: [],
      frames: FrameTable(times: [0], end: 1, keyframes: []))
  }

  static func place(
    _ stream: VideoStream, _ transform: AffineTransform = .identity, crop: PixelRect? = nil,
    isMoving: Bool = false
  ) throws -> Placement? {
    try Placement(
      of: stream, transform: transform, crop: crop, isMoving: isMoving, canvas: canvas)
  }

  @Test func `a layer covers the pixels whose centers lie inside it`() throws {
    for (shift, left) in [(0.0, 0), (0.4, 0), (0.5, 0), (0.51, 1), (1, 1), (-0.5, 0), (7.49, 7)] {
      let moved = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: shift, ty: 0)
      let placement = try #require(try Self.place(Self.stream(100, 100), moved))
      #expect(placement.coverage.left == left, "shift \(shift)")
    }
  }

  @Test func `layers that adjoin in real numbers adjoin in pixels, on every step of a push`() throws
  {
    for frame in 0...29 {
      let fraction = Double(frame) / 29
      let leaving = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0).interpolated(
        to: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -1920, ty: 0), fraction: fraction)
      let coming = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 1920, ty: 0).interpolated(
        to: .identity, fraction: fraction)
      let left = try Self.place(Self.stream(1920, 1080), leaving, isMoving: true)
      let right = try Self.place(Self.stream(1920, 1080), coming, isMoving: true)
      let edge = Int((1920 - 1920 * fraction - 0.5).rounded(.up))
      #expect((left?.coverage.right ?? 0) == edge)
      #expect((right?.coverage.left ?? 1920) == edge)
    }
  }

  @Test func `pixel aspect ratio widens the picture before the transform`() throws {
    let stream = Self.stream(1440, 1080, aspect: try RationalTime(4, 3))
    let placement = try #require(try Self.place(stream))
    #expect(placement.scaledSize == Self.canvas)
    #expect(placement.coverage == PixelBounds(left: 0, top: 0, right: 1920, bottom: 1080))
  }

  @Test func `a crop is relative to the clean aperture and clamped to it`() throws {
    let aperture = PixelRect(x: 8, y: 4, width: 84, height: 92)
    let placement = try #require(
      try Self.place(
        Self.stream(100, 100, aperture: aperture),
        crop: PixelRect(x: 10, y: -50, width: 1000, height: 60)))
    #expect(placement.coverage == PixelBounds(left: 10, top: 0, right: 84, bottom: 10))
    #expect(placement.x == -8 * 256)
    #expect(placement.y == -4 * 256)
  }

  @Test func `a quarter turn exchanges width and height`() throws {
    let turned = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 50, ty: 0)
    let placement = try #require(try Self.place(Self.stream(80, 50), turned))
    #expect(placement.coverage == PixelBounds(left: 0, top: 0, right: 50, bottom: 80))
    #expect(
      placement.orientation
        == PlaneOrientation(transposes: true, mirrorsColumns: true, mirrorsRows: false))
    #expect(placement.scaledSize == PixelSize(width: 80, height: 50))
  }

  @Test func `a layer outside the output has no placement`() throws {
    let moved = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 1920, ty: 0)
    #expect(try Self.place(Self.stream(100, 100), moved) == nil)
    #expect(
      try Self.place(
        Self.stream(100, 100), crop: PixelRect(x: 0, y: 0, width: 0, height: 10)) == nil)
  }

  @Test func `a reduced picture keeps five quarters of the samples that it needs`() throws {
    let half = AffineTransform(a: 0.4, b: 0.3, c: -0.3, d: 0.4, tx: 400, ty: 0)
    #expect(
      try Self.place(Self.stream(1600, 1200), half)?.scaledSize
        == PixelSize(width: 1000, height: 750))
    let enlarged = AffineTransform(a: 4, b: 3, c: -3, d: 4, tx: 400, ty: 0)
    #expect(
      try Self.place(Self.stream(1601, 1200), enlarged)?.scaledSize
        == PixelSize(width: 1601, height: 1200))
    let speck = AffineTransform(a: 0.004, b: 0.003, c: -0.003, d: 0.004, tx: 400, ty: 0)
    #expect(
      try Self.place(Self.stream(1600, 1200), speck)?.scaledSize
        == PixelSize(width: 34, height: 26))
  }

  @Test func `a warp covers the pixels that it touches, with even edges, and may fill the output`()
    throws
  {
    let turned = AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 101, ty: 51)
    let placement = try #require(try Self.place(Self.stream(100, 100), turned))
    #expect(placement.coverage == PixelBounds(left: 40, top: 50, right: 182, bottom: 192))
    #expect(!placement.isSolid)
    let large = AffineTransform(a: 40, b: 30, c: -30, d: 40, tx: 960, ty: -1500)
    let filling = try #require(try Self.place(Self.stream(100, 100), large))
    #expect(filling.coverage == PixelBounds(left: 0, top: 0, right: 1920, bottom: 1080))
    #expect(filling.isSolid)
  }

  @Test func `a picture too large for memory is sampled only where it is visible, with hard edges`()
    throws
  {
    let huge = AffineTransform(a: 1e5, b: 0, c: 0, d: 1e5, tx: 100.7, ty: 7)
    let placement = try #require(try Self.place(Self.stream(100, 100), huge))
    #expect(placement.scaledSize == PixelSize(width: 100, height: 100))
    #expect(
      placement.warp?.outline
        == ConvexOutline(PixelBounds(left: 101, top: 7, right: 1920, bottom: 1080)))
  }

  @Test func `numbers that are not finite are rejected`() {
    let error = #expect(throws: RenderingError.self) {
      try Self.place(
        Self.stream(100, 100), AffineTransform(a: .nan, b: 0, c: 0, d: 1, tx: 0, ty: 0))
    }
    #expect(error?.code == .invalidDescription)
  }
}
