import Media

/// Samples a plane at points between its samples along a straight line, by cubic interpolation.
///
/// The kernel is that of Keys with a = −1/2 (Catmull and Rom's): Keys, "Cubic convolution interpolation for digital
/// image processing", 1981, equation 4. The value at a sample's position is that sample, and a uniform plane stays
/// uniform. Positions are rounded to 1/512 of a sample; all further computation is in integers.
package enum BicubicKernel {
  /// The position of a row of output samples in the plane: sample `n` is at `(u + n·stepU, v + n·stepV)`, in samples,
  /// where integers are the centers of samples.
  package struct Line {
    /// The column in the plane of sample 0.
    package var u: Double
    /// The row in the plane of sample 0.
    package var v: Double
    /// Columns from one sample to the next.
    package var stepU: Double
    /// Rows from one sample to the next.
    package var stepV: Double

    /// Creates a line from finite numbers.
    package init(u: Double, v: Double, stepU: Double, stepV: Double) {
      (self.u, self.v, self.stepU, self.stepV) = (u, v, stepU, stepV)
    }
  }

  /// Positions between two samples.
  private static let phases = 512

  /// Four weights for each phase, which add up to 2¹⁴.
  private static let weights: [Int32] = (0..<phases).flatMap { phase in
    let t = Double(phase) / Double(phases)
    let exact = [
      ((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
      ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t,
    ]
    var rounded = exact.map { Int32(($0 * 16384).rounded()) }
    rounded[phase < phases / 2 ? 1 : 2] += 16384 - rounded.reduce(0, +)
    return rounded
  }

  /// Writes the samples `columns` of a line to the same columns of `target`.
  ///
  /// Only samples inside `taps`, which must lie in the plane and not be empty, are read. Beyond these edges, the plane
  /// continues with the sample at the edge.
  package static func sample<Sample: PictureSample>(
    _ plane: SamplePlane<Sample>, within taps: PixelBounds, along line: Line, columns: Range<Int>,
    to target: UnsafeMutablePointer<Sample>
  ) {
    weights.withUnsafeBufferPointer { table in
      guard let table = table.baseAddress else { return }
      let (u, v) = (line.u - Double(taps.left), line.v - Double(taps.top))
      let (lastU, lastV) = (
        Double(taps.right - taps.left) + 1, Double(taps.bottom - taps.top) + 1
      )
      for column in columns {
        let x = position(u + Double(column) * line.stepU, last: lastU)
        let y = position(v + Double(column) * line.stepV, last: lastV)
        let (left, top) = ((x &>> 9) &- 5 &+ taps.left, (y &>> 9) &- 5 &+ taps.top)
        let across = table + ((x & 511) &* 4)
        let down = table + ((y & 511) &* 4)
        let isInside =
          left >= taps.left && top >= taps.top && left &+ 3 < taps.right
          && top &+ 3 < taps.bottom
        target[column] =
          isInside
          ? inner(plane.row(top) + left, plane.stride, across, down)
          : edge(plane, taps, left, top, across, down)
      }
    }
  }

  /// A position in 1/512 of a sample, clamped to near the plane and shifted by 4 samples so that it is never negative.
  @inline(__always)
  private static func position(_ value: Double, last: Double) -> Int {
    Int((min(max(value, -2), last) + 4) * Double(phases) + 0.5)
  }

  /// The number of bits by which horizontal sums are rounded, so that vertical sums fit into 32 bits: samples of 8 bits
  /// keep 7 fractional bits, samples of 10 bits keep 5.
  @inline(__always)
  private static func rounding<Sample: PictureSample>(_: Sample.Type) -> Int32 {
    Int32(truncatingIfNeeded: Sample.bitDepth) - 1
  }

  /// The sample for a sum of products.
  @inline(__always)
  private static func whole<Sample: PictureSample>(_ sum: Int32) -> Sample {
    let shift = 28 - rounding(Sample.self)
    let rounded = (sum &+ 1 &<< (shift &- 1)) &>> shift
    return Sample(truncatingIfNeeded: min(max(rounded, 0), Sample.highest))
  }

  @inline(__always)
  private static func inner<Sample: PictureSample>(
    _ corner: UnsafePointer<Sample>, _ stride: Int, _ across: UnsafePointer<Int32>,
    _ down: UnsafePointer<Int32>
  ) -> Sample {
    let shift = rounding(Sample.self)
    var sum: Int32 = 0
    for row in 0..<4 {
      let samples = corner + row &* stride
      let mixed =
        Int32(samples[0]) &* across[0] &+ Int32(samples[1]) &* across[1]
        &+ Int32(samples[2]) &* across[2] &+ Int32(samples[3]) &* across[3]
      sum = sum &+ ((mixed &+ 1 &<< (shift &- 1)) &>> shift) &* down[row]
    }
    return whole(sum)
  }

  /// Computes the same if some of the sixteen samples lie outside.
  private static func edge<Sample: PictureSample>(
    _ plane: SamplePlane<Sample>, _ taps: PixelBounds, _ left: Int, _ top: Int,
    _ across: UnsafePointer<Int32>, _ down: UnsafePointer<Int32>
  ) -> Sample {
    let shift = rounding(Sample.self)
    var sum: Int32 = 0
    for row in 0..<4 {
      let samples = plane.row(min(max(top + row, taps.top), taps.bottom - 1))
      var mixed: Int32 = 1 &<< (shift &- 1)
      for column in 0..<4 {
        let number = min(max(left + column, taps.left), taps.right - 1)
        mixed = mixed &+ Int32(samples[number]) &* across[column]
      }
      sum = sum &+ (mixed &>> shift) &* down[row]
    }
    return whole(sum)
  }
}
