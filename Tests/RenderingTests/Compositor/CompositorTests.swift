import Media
import Rendering
import Support
import Testing

@Suite(.mayBlock) struct CompositorTests {
  static let red = PlanarColor<UInt8>(luma: 63, cb: 102, cr: 240)
  static let blue = PlanarColor<UInt8>(luma: 32, cb: 240, cr: 118)
  static let gray = PlanarColor<UInt8>(luma: 126, cb: 128, cr: 128)

  /// The planes of the composited layers, computed pixel by pixel in 4:4:4 and in real numbers.
  static func ideal<Sample: PictureSample>(
    _ layers: [PlacedLayer<Sample>], over background: PlanarColor<Sample>, width: Int, height: Int
  ) -> (luma: [[Double]], cb: [[Double]], cr: [[Double]]) {
    func plane(
      _ choose: (PlanarPicture<Sample>) -> SamplePlane<Sample>, _ base: Sample, _ isChroma: Bool
    )
      -> [[Double]]
    {
      (0..<height).map { y in
        (0..<width).map { x in
          var value = Double(base)
          for layer in layers.reversed() where layer.coverage.contains(x: x, y: y) {
            let source = choose(layer.picture)
            let (u, v) = (Double(x) - Double(layer.x) / 256, Double(y) - Double(layer.y) / 256)
            func at(_ column: Double, _ row: Double) -> Double {
              let picture = layer.picture.luma
              let column = min(max(Int(column), 0), picture.width - 1)
              let row = min(max(Int(row), 0), picture.height - 1)
              return Double(source.row(isChroma ? row / 2 : row)[isChroma ? column / 2 : column])
            }
            let (left, top) = (u.rounded(.down), v.rounded(.down))
            let (f, g) = (u - left, v - top)
            let sample =
              (at(left, top) * (1 - f) + at(left + 1, top) * f) * (1 - g)
              + (at(left, top + 1) * (1 - f) + at(left + 1, top + 1) * f) * g
            let opacity = Double(layer.weight) / Double(BlendKernel.one)
            value += (sample - value) * opacity
          }
          return value
        }
      }
    }
    func halved(_ plane: [[Double]]) -> [[Double]] {
      var means = [[Double]](
        repeating: [Double](repeating: 0, count: width / 2), count: height / 2)
      for y in 0..<height {
        for x in 0..<width { means[y / 2][x / 2] += plane[y][x] / 4 }
      }
      return means
    }
    return (
      plane(\.luma, background.luma, false), halved(plane(\.cb, background.cb, true)),
      halved(plane(\.cr, background.cr, true))
    )
  }

  static func greatestDifference<Sample: PictureSample>(
    _ plane: SamplePlane<Sample>, _ ideal: [[Double]]
  ) -> Double {
    zip(PictureMemory.samples(plane), ideal).reduce(0) { greatest, rows in
      zip(rows.0, rows.1).reduce(greatest) { max($0, abs(Double($1.0) - $1.1)) }
    }
  }

  @Test func `random layers are within one code value of the ideal composite`() {
    Self.compareRandomLayers(over: Self.gray)
  }

  @Test func `random layers of 10 bits are within one code value of the ideal composite`() {
    Self.compareRandomLayers(over: PlanarColor<UInt16>(luma: 502, cb: 512, cr: 511))
  }

  static func compareRandomLayers<Sample: PictureSample>(over background: PlanarColor<Sample>) {
    var random = SeededRandom(seed: 21)
    for _ in 0..<200 {
      let (width, height) = (
        2 * Int.random(in: 1...40, using: &random), 2 * Int.random(in: 1...20, using: &random)
      )
      var pictures: [PictureMemory<Sample>] = []
      var layers: [PlacedLayer<Sample>] = []
      for number in 0..<Int.random(in: 0...2, using: &random) {
        let picture = PictureMemory<Sample>(
          width: Int.random(in: 1...60, using: &random),
          height: Int.random(in: 1...60, using: &random), seed: random.next())
        pictures.append(picture)
        let whole = Bool.random(using: &random)
        var x = Int.random(in: -20 * 256...20 * 256, using: &random)
        var y = Int.random(in: -20 * 256...20 * 256, using: &random)
        if whole { (x, y) = (x & ~255, y & ~255) }
        // The lower of two layers is opaque, as in a transition: each blend rounds once.
        let weight =
          number == 0 ? Int16.random(in: 0...BlendKernel.one, using: &random) : BlendKernel.one
        layers.append(
          PlacedLayer<Sample>(
            picture: picture.picture, x: x, y: y,
            coverage: PixelBounds(
              left: (x + 127) >> 8, top: (y + 127) >> 8, right: (x >> 8) + picture.width,
              bottom: (y >> 8) + picture.height), weight: weight))
      }
      let target = PictureMemory<Sample>(width: width, height: height)
      let compositor = Compositor<Sample>(width: width, height: height)
      compositor.composite(layers, over: background, into: target.picture)
      let ideal = Self.ideal(layers, over: background, width: width, height: height)
      #expect(Self.greatestDifference(target.picture.luma, ideal.luma) < 1)
      #expect(Self.greatestDifference(target.picture.cb, ideal.cb) < 1)
      #expect(Self.greatestDifference(target.picture.cr, ideal.cr) < 1)
      withExtendedLifetime(pictures) {}
    }
  }

  @Test func `two layers that adjoin on an odd column leave no trace of the background`() {
    let (left, right) = (
      TestPicture(width: 64, height: 4, color: Self.red),
      TestPicture(width: 64, height: 4, color: Self.blue)
    )
    let target = TestPicture(width: 64, height: 4)
    let compositor = Compositor<UInt8>(width: 64, height: 4)
    for edge in 0...64 {
      let layers = [
        PlacedLayer<UInt8>(
          picture: left.picture, x: (edge - 64) * 256, y: 0,
          coverage: PixelBounds(left: edge - 64, top: 0, right: edge, bottom: 4),
          weight: BlendKernel.one),
        PlacedLayer<UInt8>(
          picture: right.picture, x: edge * 256, y: 0,
          coverage: PixelBounds(left: edge, top: 0, right: edge + 64, bottom: 4),
          weight: BlendKernel.one),
      ]
      compositor.composite(layers, over: Self.gray, into: target.picture)
      let luma = (0..<64).map { $0 < edge ? Self.red.luma : Self.blue.luma }
      let cb = (0..<32).map { column -> UInt8 in
        if 2 * column + 1 == edge { return 171 }  // (102 + 240) / 2
        return 2 * column < edge ? Self.red.cb : Self.blue.cb
      }
      #expect(TestPicture.samples(target.picture.luma)[2] == luma, "edge \(edge)")
      #expect(TestPicture.samples(target.picture.cb)[1] == cb, "edge \(edge)")
    }
  }

  @Test func `an opaque layer at even whole pixels is copied bit for bit`() {
    let source = TestPicture(width: 40, height: 30, seed: 1)
    let target = TestPicture(width: 64, height: 48)
    Compositor<UInt8>(width: 64, height: 48).composite(
      [
        PlacedLayer<UInt8>(
          picture: source.picture, x: 10 * 256, y: 6 * 256,
          coverage: PixelBounds(left: 10, top: 6, right: 50, bottom: 36), weight: BlendKernel.one)
      ], over: Self.gray, into: target.picture)
    for (plane, (original, shift)) in zip(target.planes, zip(source.planes, [0, 1, 1])) {
      for y in 0..<original.height {
        for x in 0..<original.width {
          #expect(plane.row(y + (6 >> shift))[x + (10 >> shift)] == original.row(y)[x])
        }
      }
    }
  }
}
