/// Computes the part of each pixel of a row that a convex outline covers, exactly except for floating-point rounding.
///
/// For each pixel that an edge crosses, the change that it makes to the covered area of that pixel and of those to its
/// right is added up. The running sum of the changes is the coverage.
struct CoverageKernel {
  private var changes: [Double]
  private let left: Int

  /// Creates a kernel for rows of the columns `left ..< right`.
  init(left: Int, right: Int) {
    self.left = left
    changes = [Double](repeating: 0, count: right - left + 2)
  }

  /// Writes the weights of row `y`, 0 to ``BlendKernel/one``, for an outline that lies within the columns.
  mutating func cover(
    _ outline: ConvexOutline, row y: Int, to weights: inout [Int16], at start: Int
  ) {
    for index in changes.indices { changes[index] = 0 }
    var from = outline.points[outline.points.count - 1]
    for to in outline.points {
      add(from, to, row: Double(y))
      from = to
    }
    var sum = 0.0
    for column in 0..<changes.count - 2 {
      sum += changes[column]
      weights[start + column] = Int16(min(abs(sum), 1) * Double(BlendKernel.one) + 0.5)
    }
  }

  private mutating func add(_ one: OutlinePoint, _ other: OutlinePoint, row: Double) {
    let (upper, lower) = one.y <= other.y ? (one, other) : (other, one)
    let (top, bottom) = (max(upper.y, row), min(lower.y, row + 1))
    guard top < bottom else { return }
    let slope = (lower.x - upper.x) / (lower.y - upper.y)
    let last = Double(changes.count - 2)
    func column(at y: Double) -> Double {
      min(max(upper.x + (y - upper.y) * slope - Double(left), 0), last)
    }
    let ends = (column(at: top), column(at: bottom))
    let (near, far) = (min(ends.0, ends.1), max(ends.0, ends.1))
    let height = one.y <= other.y ? bottom - top : top - bottom
    let first = Int(near)
    guard far > Double(first + 1) else {
      spread(height, at: (near + far) / 2, in: first)
      return
    }
    var edge = near
    var pixel = first
    while edge < far {
      let next = min(Double(pixel + 1), far)
      spread(height * (next - edge) / (far - near), at: (edge + next) / 2, in: pixel)
      edge = next
      pixel += 1
    }
  }

  /// Covers a strip of the given height to the right of `middle`, which lies in the pixel.
  private mutating func spread(_ height: Double, at middle: Double, in pixel: Int) {
    let part = Double(pixel + 1) - middle
    changes[pixel] += height * part
    changes[pixel + 1] += height * (1 - part)
  }
}
