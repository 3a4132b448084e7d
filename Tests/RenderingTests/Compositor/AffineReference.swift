import Rendering
import Timeline

import func Foundation.cos
import func Foundation.log10
import func Foundation.sin

/// The exact appearance of a transformed picture, in real numbers: a smooth function is sampled at the point that each
/// pixel shows, and coverage is computed by area.
struct AffineReference {
  /// A plane's value at a point of the picture, in pixels from its top-left corner.
  typealias Course = @Sendable (Double, Double) -> Double

  var transform: AffineTransform
  /// The visible part of the picture.
  var shown: PixelRect

  static let courses: [Course] = [
    { 125 + 45 * sin(0.16 * $0 + 0.3) * cos(0.12 * $1) + 40 * cos(0.09 * ($0 + $1)) },
    { 128 + 60 * sin(0.07 * $0 - 0.11 * $1) }, { 120 + 50 * cos(0.1 * $0 + 0.05 * $1 + 1) },
  ]

  /// The planes as a picture of integer code values. A chroma sample lies at the left of its four pixels, between their
  /// rows.
  static func picture(width: Int, height: Int) -> TestPicture {
    let picture = TestPicture(width: width, height: height)
    for (number, (plane, course)) in zip(picture.planes, courses).enumerated() {
      let step = number == 0 ? 1.0 : 2.0
      for y in 0..<plane.height {
        for x in 0..<plane.width {
          let value = course(Double(x) * step + 0.5, (Double(y) + 0.5) * step)
          plane.row(y)[x] = UInt8(value.rounded())
        }
      }
    }
    return picture
  }

  /// The point of the picture that a point of the output shows.
  func origin(_ x: Double, _ y: Double) -> (Double, Double) {
    let (a, b, c, d) = (transform.a, transform.b, transform.c, transform.d)
    let (x, y) = (x - transform.tx, y - transform.ty)
    return ((d * x - c * y) / (a * d - b * c), (a * y - b * x) / (a * d - b * c))
  }

  /// The part of a pixel that is covered: the mean length of the inside parts of 64 lines across it.
  func coverage(_ column: Int, _ row: Int) -> Double {
    (0..<64).reduce(0) { sum, line in
      let y = Double(row) + (Double(line) + 0.5) / 64
      var (from, to) = (0.0, 1.0)
      let (start, end) = (origin(Double(column), y), origin(Double(column) + 1, y))
      for (start, end, low, high) in [
        (start.0, end.0, shown.x, shown.x + shown.width),
        (start.1, end.1, shown.y, shown.y + shown.height),
      ] {
        let step = end - start
        guard abs(step) > 1e-12 else {
          if start < low || start > high { to = from }
          continue
        }
        let cuts = ((low - start) / step, (high - start) / step)
        from = max(from, min(cuts.0, cuts.1))
        to = min(to, max(cuts.0, cuts.1))
      }
      return sum + max(to - from, 0) / 64
    }
  }

  /// The three planes over a background, at an opacity.
  func planes(
    width: Int, height: Int, over background: PlanarColor<UInt8>, opacity: Double = 1
  ) -> [[[Double]]] {
    let coverage = (0..<height).map { y in (0..<width).map { self.coverage($0, y) } }
    func plane(_ course: Course, _ base: UInt8, _ step: Int) -> [[Double]] {
      (0..<height / step).map { y in
        (0..<width / step).map { x in
          var covered = 0.0
          for row in 0..<step {
            for column in 0..<step { covered += coverage[y * step + row][x * step + column] }
          }
          let point = origin(Double(x * step) + 0.5, (Double(y) + 0.5) * Double(step))
          let share = covered / Double(step * step) * opacity
          return Double(base) + (course(point.0, point.1) - Double(base)) * share
        }
      }
    }
    return [
      plane(Self.courses[0], background.luma, 1), plane(Self.courses[1], background.cb, 2),
      plane(Self.courses[2], background.cr, 2),
    ]
  }

  /// The peak signal-to-noise ratio in decibels, with a peak of 255.
  static func ratio(_ samples: [[UInt8]], _ expected: [[Double]]) -> Double {
    var (sum, count) = (0.0, 0.0)
    for (row, wanted) in zip(samples, expected) {
      for (sample, value) in zip(row, wanted) {
        sum += (Double(sample) - value) * (Double(sample) - value)
        count += 1
      }
    }
    return 10 * log10(255 * 255 / max(sum / count, 1e-9))
  }
}

extension AffineTransform {
  /// A rotation clockwise about a point, with a scale.
  static func turning(
    _ degrees: Double, about x: Double, _ y: Double, scale: Double = 1
  ) -> AffineTransform {
    let (sine, cosine) = (
      scale * sin(degrees * .pi / 180), scale * cos(degrees * .pi / 180)
    )
    return AffineTransform(
      a: cosine, b: sine, c: -sine, d: cosine, tx: x - cosine * x + sine * y,
      ty: y - sine * x - cosine * y)
  }
}
