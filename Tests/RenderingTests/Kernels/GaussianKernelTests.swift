import Foundation
import Media
import Rendering
import Support
import Testing

@Suite(.mayBlock) struct GaussianKernelTests {
  /// The blurred plane, computed in real numbers.
  private static func reference(
    _ plane: [[Double]], across: Double, down: Double
  ) -> [[Double]] {
    func blurred(_ line: [Double], _ sigma: Double) -> [Double] {
      let radius = Int((4 * sigma).rounded(.up))
      let weights = (-radius...radius).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
      let sum = weights.reduce(0, +)
      return line.indices.map { place in
        zip(-radius...radius, weights).reduce(0.0) { mean, tap in
          mean + line[min(max(place + tap.0, 0), line.count - 1)] * tap.1 / sum
        }
      }
    }
    let rows = plane.map { blurred($0, across) }
    let columns = rows[0].indices.map { x in blurred(rows.map { $0[x] }, down) }
    return rows.indices.map { y in columns.map { $0[y] } }
  }

  private static func check<Sample: PictureSample>(
    _ sample: Sample.Type, across: Double, down: Double
  ) {
    let (width, height) = (61, 37)
    var random = SeededRandom(seed: 5)
    var samples = (0..<width * height).map { _ in
      Sample(truncatingIfNeeded: Int32.random(in: 0...Sample.highest, using: &random))
    }
    let wanted = reference(
      (0..<height).map { y in (0..<width).map { Double(samples[y * width + $0]) } },
      across: across, down: down)
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      GaussianKernel.blur(
        SamplePlane(base: base, stride: width, width: width, height: height), across: across,
        down: down)
    }
    for (index, sample) in samples.enumerated() {
      let error = abs(Double(sample) - wanted[index / width][index % width])
      #expect(error < 0.6, "sample \(index)")
    }
  }

  @Test func `a blur of any width finishes, and approaches the mean of the edges`() {
    let (width, height) = (16, 4)
    var samples = (0..<width * height).map { UInt8($0 % width * 10) }
    samples.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      GaussianKernel.blur(
        SamplePlane(base: base, stride: width, width: width, height: height), across: 1e30,
        down: 1e30)
    }
    #expect(samples.allSatisfy { $0 == 75 })
  }

  @Test(arguments: [(4.0, 4.0), (0.7, 2.5), (9, 5), (0.01, 3), (40, 300)])
  func `a blur equals the exact one within rounding`(across: Double, down: Double) {
    Self.check(UInt8.self, across: across, down: down)
    Self.check(UInt16.self, across: across, down: down)
  }
}
