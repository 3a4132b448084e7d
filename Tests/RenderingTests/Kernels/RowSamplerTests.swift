import Rendering
import Support
import Testing

@Suite(.mayBlock) struct RowSamplerTests {
  @Test func `sampling equals the scalar reference over random sizes, positions and fractions`() {
    var random = SeededRandom(seed: 11)
    for seed in 0..<300 {
      let (width, height) = (
        Int.random(in: 1...70, using: &random), Int.random(in: 1...20, using: &random)
      )
      let (count, lines) = (
        Int.random(in: 1...80, using: &random), Int.random(in: 1...25, using: &random)
      )
      let fractions = [0, 1, 128, 256, 300, 511]
      let x = Int.random(in: -100...100, using: &random) * 512 + fractions[seed % 6]
      let y = Int.random(in: -30...30, using: &random) * 512 + fractions[seed / 6 % 6]
      let source = TestPicture(width: width, height: height, seed: UInt64(seed))
      let plane = source.picture.luma
      func at(_ column: Int, _ row: Int) -> UInt8 {
        plane.row(min(max(row, 0), height - 1))[min(max(column, 0), width - 1)]
      }
      var sampled: [[UInt8]] = []
      RowSampler<UInt8>(width: count).forEachRow(of: plane, x: x, y: y, count: count, height: lines)
      {
        _, samples in
        sampled.append((0..<count).map { samples[$0] })
      }
      let expected = (0..<lines).map { line in
        (0..<count).map { index in
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

  @Test func `halfway between two samples is their mean, rounded up`() {
    for a in 0...255 {
      for b in 0...255 {
        let mean = BilinearKernel.reference(
          upper: (UInt8(a), UInt8(b)), lower: (0, 0), across: 256, down: 0)
        #expect(Int(mean) == (a + b + 1) / 2)
      }
    }
  }
}
