import Media

/// Scales smooth 10-bit planes to any larger size with Keys's cubic (``BicubicKernel``), first horizontally and then
/// vertically.
///
/// It computes in integers, with 6 fractional bits between the passes, so the result is within 0.7 code values of 8
/// bits. Beyond its edges, a plane continues with the sample at the edge.
package enum SmoothScaleKernel {
  /// The four samples around a position, from `first` on, and their weights, which add up to 2¹².
  private struct Taps {
    var first: Int
    var weights: (Int32, Int32, Int32, Int32)
  }

  /// Scales `source` to the size of `target`.
  ///
  /// - Parameters:
  ///   - site: the source's chroma location; `nil` for luma, whose samples lie in the middle.
  ///   - wanted: the target's chroma location.
  package static func scale<Sample: PictureSample>(
    _ source: SamplePlane<UInt16>, to target: SamplePlane<Sample>, chroma site: ChromaSite? = nil,
    at wanted: ChromaSite? = nil
  ) {
    let across = taps(
      of: source.width, at: Self.place(site?.across), for: target.width,
      at: Self.place(wanted?.across))
    let down = taps(
      of: source.height, at: Self.place(site?.down), for: target.height,
      at: Self.place(wanted?.down))
    let width = target.width
    var rows = [Int32](repeating: 0, count: width * source.height)
    for y in 0..<source.height {
      let row = source.row(y)
      func sample(_ x: Int) -> Int32 { Int32(row[min(max(x, 0), source.width - 1)]) }
      for (x, taps) in across.enumerated() {
        let sum =
          sample(taps.first) &* taps.weights.0 &+ sample(taps.first + 1) &* taps.weights.1
          &+ sample(taps.first + 2) &* taps.weights.2 &+ sample(taps.first + 3) &* taps.weights.3
        rows[y * width + x] = (sum &+ 32) &>> 6
      }
    }
    // From 10 bits with 6 + 12 fractional ones to the target's.
    let shift = Int32(28 - Sample.bitDepth)
    rows.withUnsafeBufferPointer { rows in
      guard let rows = rows.baseAddress else { return }
      for (y, taps) in down.enumerated() {
        func line(_ offset: Int) -> UnsafePointer<Int32> {
          rows + min(max(taps.first + offset, 0), source.height - 1) * width
        }
        let (one, two, three, four) = (line(0), line(1), line(2), line(3))
        let (weights, row) = (taps.weights, target.row(y))
        for x in 0..<width {
          let sum =
            one[x] &* weights.0 &+ two[x] &* weights.1 &+ three[x] &* weights.2
            &+ four[x] &* weights.3 &+ (1 &<< (shift &- 1))
          row[x] = Sample(truncatingIfNeeded: min(max(sum &>> shift, 0), Sample.highest))
        }
      }
    }
  }

  /// The position of a sample within its width, by the location of chroma among its two pixels.
  private static func place(_ site: Int?) -> Double { Double((site ?? 128) + 128) / 512 }

  /// - Parameters:
  ///   - site: the position of a source sample within its width.
  ///   - wanted: the position of a target sample within its width.
  private static func taps(of count: Int, at site: Double, for target: Int, at wanted: Double)
    -> [Taps]
  {
    let step = Double(count) / Double(target)
    return (0..<target).map { number in
      let place = (Double(number) + wanted) * step - site
      let before = place.rounded(.down)
      let t = place - before
      let exact = [
        ((-0.5 * t + 1) * t - 0.5) * t, (1.5 * t - 2.5) * t * t + 1,
        ((-1.5 * t + 2) * t + 0.5) * t, (0.5 * t - 0.5) * t * t,
      ]
      var rounded = exact.map { Int32(($0 * 4096).rounded()) }
      rounded[t < 0.5 ? 1 : 2] += 4096 - rounded.reduce(0, +)
      return Taps(
        first: Int(before) - 1, weights: (rounded[0], rounded[1], rounded[2], rounded[3]))
    }
  }
}
