import Media
import Rendering
import Support
import Testing

/// The kernels' tests for 10-bit samples instead of bytes.
@Suite(.mayBlock) struct TenBitKernelTests {
  typealias Picture = PictureMemory<UInt16>

  @Test func `blending equals the scalar reference for every pair of samples`() {
    let pairs = 0..<(1 << 20)
    let source = pairs.map { UInt16($0 >> 10) }
    for weight in [Int16(0), 1, 4095, 8192, 12_345, 16_383, 16_384] {
      var blended = pairs.map { UInt16($0 & 1023) }
      BlendKernel.blend(source, into: &blended, count: blended.count, weight: weight)
      let differs = pairs.first {
        blended[$0]
          != BlendKernel.reference(
            source: UInt16($0 >> 10), destination: UInt16($0 & 1023), weight: weight)
      }
      #expect(differs == nil, "weight \(weight)")
    }
  }

  @Test func `blending by weights is within one code value of the exact value`() {
    var random = SeededRandom(seed: 19)
    let weights = (0..<1000).map { _ in Int16.random(in: 0...BlendKernel.one, using: &random) }
    let source = weights.map { _ in UInt16.random(in: 0...1023, using: &random) }
    let before = weights.map { _ in UInt16.random(in: 0...1023, using: &random) }
    var after = before
    BlendKernel.blend(source, into: &after, count: 1000, weights: weights, weight: 11_111)
    for index in weights.indices {
      let share = Double(weights[index]) * 11_111 / 16_384 / 16_384
      let real = Double(before[index]) + (Double(source[index]) - Double(before[index])) * share
      #expect(abs(Double(after[index]) - real) < 0.6)
    }
  }

  @Test func `sampling equals the scalar reference over random positions`() {
    var random = SeededRandom(seed: 11)
    for seed in 0..<100 {
      let (width, height) = (
        Int.random(in: 1...70, using: &random), Int.random(in: 1...20, using: &random)
      )
      let fractions = [0, 1, 128, 256, 300, 511]
      let x = Int.random(in: -100...100, using: &random) * 512 + fractions[seed % 6]
      let y = Int.random(in: -30...30, using: &random) * 512 + fractions[seed / 6 % 6]
      let source = Picture(width: width, height: height, seed: UInt64(seed))
      let plane = source.picture.luma
      func at(_ column: Int, _ row: Int) -> UInt16 {
        plane.row(min(max(row, 0), height - 1))[min(max(column, 0), width - 1)]
      }
      var sampled: [[UInt16]] = []
      RowSampler<UInt16>(width: 40).forEachRow(of: plane, x: x, y: y, count: 40, height: 9) {
        _, samples in
        sampled.append((0..<40).map { samples[$0] })
      }
      let expected = (0..<9).map { line in
        (0..<40).map { index in
          let (column, row) = ((x >> 9) + index, (y >> 9) + line)
          return BilinearKernel.reference(
            upper: (at(column, row), at(column + 1, row)),
            lower: (at(column, row + 1), at(column + 1, row + 1)), across: x & 511, down: y & 511)
        }
      }
      #expect(sampled == expected, "\(width)x\(height) at \(x), \(y)")
      withExtendedLifetime(source) {}
    }
  }

  @Test func `interpolation is within one code value of the exact value`() {
    var random = SeededRandom(seed: 12)
    for _ in 0..<20_000 {
      let samples = (0..<4).map { _ in UInt16.random(in: 0...1023, using: &random) }
      let (x, y) = (
        Int.random(in: 0...511, using: &random), Int.random(in: 0...511, using: &random)
      )
      let sampled = BilinearKernel.reference(
        upper: (samples[0], samples[1]), lower: (samples[2], samples[3]), across: x, down: y)
      let (u, v) = (Double(x) / 512, Double(y) / 512)
      let real =
        (Double(samples[0]) * (1 - u) + Double(samples[1]) * u) * (1 - v)
        + (Double(samples[2]) * (1 - u) + Double(samples[3]) * u) * v
      #expect(abs(Double(sampled) - real) < 0.6)
    }
  }

  @Test func `halfway between two samples is their mean, rounded up`() {
    for a in stride(from: 0, through: 1023, by: 3) {
      for b in stride(from: 1, through: 1023, by: 7) {
        let mean = BilinearKernel.reference(
          upper: (UInt16(a), UInt16(b)), lower: (0, 0), across: 256, down: 0)
        #expect(Int(mean) == (a + b + 1) / 2)
      }
    }
  }

  @Test func `cubic samples are within one code value of the exact kernel`() {
    let picture = Picture(width: 24, height: 20, seed: 3)
    var random = SeededRandom(seed: 5)
    for round in 0..<60 {
      let taps =
        round % 2 == 0
        ? PixelBounds(left: 0, top: 0, right: 24, bottom: 20)
        : PixelBounds(left: 3, top: 5, right: 11, bottom: 6)
      func number(_ range: ClosedRange<Int>) -> Double {
        Double(Int.random(in: range, using: &random)) / 512
      }
      let line = BicubicKernel.Line(
        u: number(-1000...14000), v: number(-1000...11000), stepU: number(-500...500),
        stepV: number(-300...300))
      var row = [UInt16](repeating: 0xAAA, count: 30)
      row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        BicubicKernel.sample(
          picture.picture.luma, within: taps, along: line, columns: 2..<28, to: base)
      }
      for column in 2..<28 {
        let wanted = BicubicKernelTests.reference(
          picture.picture.luma, taps, line.u + Double(column) * line.stepU,
          line.v + Double(column) * line.stepV)
        #expect(abs(Double(row[column]) - wanted) < 1, "line \(round), column \(column)")
      }
    }
    withExtendedLifetime(picture) {}
  }

  @Test(arguments: 0..<8) func `each of the eight orientations moves every sample exactly`(
    _ number: Int
  ) {
    let turn = PlaneOrientation(
      transposes: number & 1 != 0, mirrorsColumns: number & 2 != 0, mirrorsRows: number & 4 != 0)
    let picture = Picture(width: 70, height: 33, seed: 3)
    let source = picture.picture.luma
    let size = turn.transposes ? (33, 70) : (70, 33)
    let target = Picture(width: size.0, height: size.1)
    OrientKernel.orient(source, to: target.picture.luma, by: turn)
    let expected = (0..<size.1).map { y in
      (0..<size.0).map { x in
        let column = turn.mirrorsColumns ? size.0 - 1 - x : x
        let row = turn.mirrorsRows ? size.1 - 1 - y : y
        return turn.transposes ? source.row(column)[row] : source.row(row)[column]
      }
    }
    #expect(Picture.samples(target.picture.luma) == expected)
    withExtendedLifetime((picture, target)) {}
  }
}
