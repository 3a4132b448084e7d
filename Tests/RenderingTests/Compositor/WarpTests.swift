import Rendering
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct WarpTests {
  static let gray = CompositorTests.gray
  static let width = 120
  static let height = 80

  /// A transformed picture over gray, on a canvas of the same or another size.
  static func composite(
    _ source: TestPicture, _ transform: AffineTransform, crop: PixelRect? = nil,
    opacity: Double = 1, canvas: PixelSize = PixelSize(width: width, height: height)
  ) throws -> TestPicture {
    let target = TestPicture(width: canvas.width, height: canvas.height)
    let stream = PlacementTests.stream(source.width, source.height)
    let placement = try Placement(
      of: stream, transform: transform, crop: crop, isMoving: false, canvas: canvas)
    let compositor = Compositor<UInt8>(width: canvas.width, height: canvas.height)
    guard let placement else {
      compositor.composite([], over: gray, into: target.picture)
      return target
    }
    let warp = try #require(placement.warp)
    try #require(placement.scaledSize == stream.size)
    let bounds = placement.coverage
    let matte = placement.isSolid ? nil : Matte(warp.outline, within: bounds)
    let sampled = TestPicture(
      width: bounds.right - bounds.left, height: bounds.bottom - bounds.top)
    warp.sample(source.picture, on: bounds, matte: matte, into: sampled.picture)
    let layer = PlacedLayer<UInt8>(
      picture: sampled.picture, x: placement.x, y: placement.y, coverage: bounds,
      weight: BlendKernel.weight(ofOpacity: opacity), matte: matte)
    compositor.composite([layer], over: gray, into: target.picture)
    withExtendedLifetime(sampled) {}
    return target
  }

  static let transforms: [AffineTransform] = [
    .turning(10, about: 60, 40), .turning(-37.5, about: 50, 30), .turning(135, about: 60, 40),
    .turning(20, about: 60, 40, scale: 1.7), .turning(63, about: 40, 60, scale: 0.85),
    AffineTransform(a: 1, b: 0, c: 0.4, d: 1, tx: -10.25, ty: 3.5),
    AffineTransform(a: -0.9, b: 0.3, c: 0.2, d: 1.1, tx: 90, ty: -20),
    AffineTransform(a: 6, b: 2, c: -1.5, d: 5, tx: -200, ty: -150),
  ]

  @Test(arguments: transforms)
  func `smooth content is within 50 dB of the float64 reference`(transform: AffineTransform) throws
  {
    let source = AffineReference.picture(width: Self.width, height: Self.height)
    let result = try Self.composite(source, transform)
    let reference = AffineReference(
      transform: transform,
      shown: PixelRect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)))
    let expected = reference.planes(width: Self.width, height: Self.height, over: Self.gray)
    for (number, (plane, wanted)) in zip(result.planes, expected).enumerated() {
      let ratio = AffineReference.ratio(TestPicture.samples(plane), wanted)
      #expect(ratio >= 50, "plane \(number)")
    }
  }

  @Test func `crop and opacity are within 50 dB of the float64 reference`() throws {
    let transform = AffineTransform.turning(28, about: 60, 40, scale: 1.3)
    let crop = PixelRect(x: 20.5, y: 11, width: 71.25, height: 50)
    let source = AffineReference.picture(width: Self.width, height: Self.height)
    let result = try Self.composite(source, transform, crop: crop, opacity: 0.6)
    let expected = AffineReference(transform: transform, shown: crop).planes(
      width: Self.width, height: Self.height, over: Self.gray, opacity: 0.6)
    for (number, (plane, wanted)) in zip(result.planes, expected).enumerated() {
      let ratio = AffineReference.ratio(TestPicture.samples(plane), wanted)
      #expect(ratio >= 50, "plane \(number)")
    }
  }

  @Test(arguments: transforms)
  func `a solid color stays unchanged, and its edges are mixed by area`(transform: AffineTransform)
    throws
  {
    let red = CompositorTests.red
    let source = TestPicture(width: Self.width, height: Self.height, color: red)
    let result = try Self.composite(source, transform)
    let reference = AffineReference(
      transform: transform,
      shown: PixelRect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)))
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let covered = reference.coverage(x, y)
        let wanted = Double(Self.gray.luma) + (Double(red.luma) - Double(Self.gray.luma)) * covered
        #expect(abs(Double(result.picture.luma.row(y)[x]) - wanted) < 1, "pixel \(x), \(y)")
      }
    }
  }

  @Test func `cropped pixels do not bleed in`() throws {
    let source = TestPicture(width: 40, height: 40, color: CompositorTests.red)
    for plane in source.planes {
      for y in 0..<plane.height { plane.row(y)[0] = 255 }
    }
    let crop = PixelRect(x: 2, y: 0, width: 38, height: 40)
    let result = try Self.composite(source, .turning(30, about: 20, 20, scale: 3), crop: crop)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        #expect((63...126).contains(result.picture.luma.row(y)[x]), "pixel \(x), \(y)")
      }
    }
  }

  @Test func `a transform that leaves no area shows nothing`() throws {
    let source = TestPicture(width: 40, height: 40, color: CompositorTests.red)
    for transform in [
      AffineTransform(a: 1, b: 1, c: 1, d: 1, tx: 0, ty: 0),
      AffineTransform(a: 1e6, b: 3e5, c: 2e6, d: 6e5, tx: 3, ty: 4),
      AffineTransform(a: 0, b: 1, c: 0, d: 1, tx: 5, ty: 0),
      AffineTransform(a: 0, b: 0, c: 0, d: 0, tx: 5, ty: 5),
    ] {
      let result = try Self.composite(source, transform)
      #expect(TestPicture.samples(result.picture.luma).joined().allSatisfy { $0 == 126 })
    }
  }

  @Test func `huge scales fill the output with one point of the picture`() throws {
    let source = TestPicture(width: 40, height: 40, color: CompositorTests.red)
    for transform in [
      AffineTransform(a: 1e6, b: 0, c: 0, d: 1e6, tx: -1e6, ty: -1e6),
      AffineTransform(a: 7e5, b: 7e5, c: -7e5, d: 7e5, tx: 1000, ty: -1e6),
    ] {
      let result = try Self.composite(source, transform)
      #expect(TestPicture.samples(result.picture.luma).joined().allSatisfy { $0 == 63 })
      #expect(TestPicture.samples(result.picture.cr).joined().allSatisfy { $0 == 240 })
    }
  }

  @Test(arguments: [0, 7.5, 30, 45, 90.01, 133, 180.02, 271])
  func `the center of a blob stays in place at any rotation`(degrees: Double) throws {
    let (x, y) = (61.3, 38.8)
    let source = TestPicture(width: Self.width, height: Self.height, color: Self.gray)
    for (number, plane) in source.planes.enumerated() {
      let step = number == 0 ? 1.0 : 2.0
      for row in 0..<plane.height {
        for column in 0..<plane.width {
          let (u, v) = (Double(column) * step + 0.5 - x, (Double(row) + 0.5) * step - y)
          plane.row(row)[column] = UInt8((126 + 100 * max(0, 1 - (u * u + v * v) / 400)).rounded())
        }
      }
    }
    let result =
      degrees == 0
      ? try Self.composite(
        source, AffineTransform(a: 1, b: 1e-6, c: -1e-6, d: 1, tx: 0, ty: 0))
      : try Self.composite(source, .turning(degrees, about: x, y))
    for (number, plane) in result.planes.enumerated() {
      let step = number == 0 ? 1.0 : 2.0
      let base = number == 0 ? 126.0 : 128
      var (sum, across, down) = (0.0, 0.0, 0.0)
      for row in 0..<plane.height {
        for column in 0..<plane.width {
          let weight = max(Double(plane.row(row)[column]) - base, 0)
          sum += weight
          across += weight * (Double(column) * step + 0.5)
          down += weight * (Double(row) + 0.5) * step
        }
      }
      #expect(abs(across / sum - x) < 0.05, "plane \(number)")
      #expect(abs(down / sum - y) < 0.05, "plane \(number)")
    }
  }

  @Test(arguments: [5, 30, 77])
  func `a picture rotated and rotated back is the same within 50 dB`(degrees: Double) throws {
    let size = PixelSize(width: 120, height: 120)
    let source = AffineReference.picture(width: size.width, height: size.height)
    let there = try Self.composite(source, .turning(degrees, about: 60, 60), canvas: size)
    let back = try Self.composite(there, .turning(-degrees, about: 60, 60), canvas: size)
    for (number, (plane, original)) in zip(back.planes, source.planes).enumerated() {
      let inner = plane.width / 4..<plane.width * 3 / 4
      let rows = inner.map { y in inner.map { plane.row(y)[$0] } }
      let wanted = inner.map { y in inner.map { Double(original.row(y)[$0]) } }
      #expect(AffineReference.ratio(rows, wanted) >= 50, "plane \(number)")
    }
  }

  @Test func `sampling with the identity or with quarter turns is exact`() {
    let source = TestPicture(width: 60, height: 60, seed: 4)
    let all = PixelBounds(left: 0, top: 0, right: 60, bottom: 60)
    for (sampling, turn) in [
      (AffineTransform.identity, PlaneOrientation.identity),
      (
        AffineTransform(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: 60),
        PlaneOrientation(transposes: true, mirrorsColumns: true, mirrorsRows: false)
      ),
      (
        AffineTransform(a: -1, b: 0, c: 0, d: -1, tx: 60, ty: 60),
        PlaneOrientation(transposes: false, mirrorsColumns: true, mirrorsRows: true)
      ),
    ] {
      let (sampled, turned) = (
        TestPicture(width: 60, height: 60), TestPicture(width: 60, height: 60)
      )
      let warp = Warp(sampling: sampling, taps: all, outline: ConvexOutline(all))
      warp.sample(source.picture, on: all, matte: nil, into: sampled.picture)
      // Left-sited chroma lies between samples after it is turned.
      let count = turn == .identity ? 3 : 1
      for (from, (to, plane)) in zip(source.planes, zip(turned.planes, sampled.planes))
        .prefix(count)
      {
        OrientKernel.orient(from, to: to, by: turn)
        #expect(TestPicture.samples(to) == TestPicture.samples(plane))
      }
    }
  }
}
