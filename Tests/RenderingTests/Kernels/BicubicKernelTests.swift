import Media
import Rendering
import Support
import Testing

@Suite(.mayBlock) struct BicubicKernelTests {
  /// Keys's kernel with a = −1/2.
  private static func kernel(_ distance: Double) -> Double {
    let x = abs(distance)
    if x >= 2 { return 0 }
    return x <= 1
      ? (1.5 * x - 2.5) * x * x + 1 : ((-0.5 * x + 2.5) * x - 4) * x + 2
  }

  static func reference<Sample: PictureSample>(
    _ plane: SamplePlane<Sample>, _ taps: PixelBounds, _ u: Double, _ v: Double
  ) -> Double {
    var sum = 0.0
    let (left, top) = (Int(u.rounded(.down)), Int(v.rounded(.down)))
    for row in top - 1...top + 2 {
      for column in left - 1...left + 2 {
        let x = min(max(column, taps.left), taps.right - 1)
        let y = min(max(row, taps.top), taps.bottom - 1)
        sum +=
          Double(plane.row(y)[x]) * kernel(u - Double(column)) * kernel(v - Double(row))
      }
    }
    return min(max(sum, 0), Double(Sample.highest))
  }

  @Test func `noise is within one code value of the exact kernel`() {
    let picture = TestPicture(width: 24, height: 20, seed: 3)
    var random = SeededRandom(seed: 5)
    for round in 0..<60 {
      let taps =
        round % 2 == 0
        ? PixelBounds(left: 0, top: 0, right: 24, bottom: 20)
        : PixelBounds(left: 3, top: 5, right: 11, bottom: 6)
      // Steps and starts are multiples of 1/512, so that positions are not rounded.
      func number(_ range: ClosedRange<Int>) -> Double {
        Double(Int.random(in: range, using: &random)) / 512
      }
      let line = BicubicKernel.Line(
        u: number(-1000...14000), v: number(-1000...11000), stepU: number(-500...500),
        stepV: number(-300...300))
      var row = [UInt8](repeating: 0xAA, count: 30)
      row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        BicubicKernel.sample(
          picture.picture.luma, within: taps, along: line, columns: 2..<28, to: base)
      }
      #expect(row[..<2] == [0xAA, 0xAA] && row[28...] == [0xAA, 0xAA])
      for column in 2..<28 {
        let wanted = Self.reference(
          picture.picture.luma, taps, line.u + Double(column) * line.stepU,
          line.v + Double(column) * line.stepV)
        #expect(abs(Double(row[column]) - wanted) < 1, "line \(round), column \(column)")
      }
    }
    withExtendedLifetime(picture) {}
  }

  @Test func `positions far outside and huge steps are safe`() {
    let picture = TestPicture(width: 8, height: 8, seed: 1)
    let all = PixelBounds(left: 0, top: 0, right: 8, bottom: 8)
    var row = [UInt8](repeating: 0, count: 4)
    for step in [1e6, -1e23, 1e300] {
      let line = BicubicKernel.Line(u: -1e20, v: 1e25, stepU: step, stepV: -step)
      row.withUnsafeMutableBufferPointer { row in
        guard let base = row.baseAddress else { return }
        BicubicKernel.sample(
          picture.picture.luma, within: all, along: line, columns: 0..<1, to: base)
      }
      #expect(row[0] == picture.picture.luma.row(7)[0])
    }
    withExtendedLifetime(picture) {}
  }
}
