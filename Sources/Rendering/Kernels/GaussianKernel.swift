import Media

/// Blurs planes with a Gaussian, first horizontally and then vertically, in integers.
///
/// Weights have 16 fractional bits and reach to four standard deviations. Beyond its edges, a plane continues with the
/// sample at the edge, so all weights beyond the length of a side are combined into one. The first pass keeps 6
/// fractional bits, so the result is within 0.52 code values of the exact one.
package enum GaussianKernel {
  /// How far the weights reach, in standard deviations.
  private static let reach = 4.0
  /// The maximum standard deviation, in sides of the plane, at which a plane differs from the mean of its edges by a
  /// tenth of a 10-bit code value.
  private static let greatestSigma = 4096.0

  /// Blurs a plane in place, with standard deviations in samples.
  package static func blur<Sample: PictureSample>(
    _ plane: SamplePlane<Sample>, across: Double, down: Double
  ) {
    let (width, height) = (plane.width, plane.height)
    var narrow = [Int32](repeating: 0, count: width * height)
    let rowWeights = weights(sigma: across, side: width)
    let columnWeights = weights(sigma: down, side: height)
    let (rowReach, columnReach) = (rowWeights.count / 2, columnWeights.count / 2)
    var padded = [Int32](repeating: 0, count: width + 2 * rowReach)
    for y in 0..<height {
      let row = plane.row(y)
      for x in padded.indices { padded[x] = Int32(row[min(max(x - rowReach, 0), width - 1)]) }
      for x in 0..<width {
        var sum: Int64 = 1 << 9
        for (offset, weight) in rowWeights.enumerated() {
          sum += Int64(padded[x + offset]) * weight
        }
        narrow[y * width + x] = Int32(truncatingIfNeeded: sum >> 10)
      }
    }
    var sums = [Int64](repeating: 0, count: width)
    for y in 0..<height {
      for x in 0..<width { sums[x] = 1 << 21 }
      for (offset, weight) in columnWeights.enumerated() {
        let start = min(max(y + offset - columnReach, 0), height - 1) * width
        for x in 0..<width { sums[x] += Int64(narrow[start + x]) * weight }
      }
      let row = plane.row(y)
      for x in 0..<width { row[x] = Sample(truncatingIfNeeded: sums[x] >> 22) }
    }
  }

  /// The weights of the samples around one, which add up to 2¹⁶: as many before as after it, and at most `side` in each
  /// direction.
  private static func weights(sigma: Double, side: Int) -> [Int64] {
    let sigma = min(sigma, greatestSigma * Double(side))
    let radius = Int((sigma * reach).rounded(.up))
    func weight(_ offset: Int) -> Double {
      let distance = Double(offset) / sigma
      return decay(distance * distance / 2)
    }
    let kept = min(radius, side)
    var exact = (-kept...kept).map(weight)
    let beyond = (kept..<radius).reduce(0) { $0 + weight($1 + 1) }
    exact[0] += beyond
    exact[2 * kept] += beyond
    let sum = exact.reduce(0, +)
    var rounded = exact.map { Int64(($0 / sum * 65536).rounded()) }
    rounded[kept] += 65536 - rounded.reduce(0, +)
    return rounded
  }

  /// `exp(−x)` for x from 0 to 10, computed from the Taylor series of `exp(x / 16)`, whose result is multiplied by
  /// itself, with arithmetic that gives the same result on every machine.
  private static func decay(_ x: Double) -> Double {
    let part = x / 16
    var sum = 1.0
    for power in stride(from: 20.0, through: 1, by: -1) { sum = 1 + sum * part / power }
    var product = sum
    for _ in 0..<4 { product *= product }
    return 1 / product
  }
}
