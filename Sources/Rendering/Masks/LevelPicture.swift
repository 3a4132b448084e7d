import Timeline

/// A picture of levels from 0 to 1.
package struct LevelPicture: Sendable {
  /// Its size in pixels.
  package let size: PixelSize
  /// The levels, row by row.
  package let levels: [Float]

  /// Creates a picture from its levels, one per pixel.
  package init(size: PixelSize, levels: [Float]) {
    self.size = size
    self.levels = levels
  }

  /// The picture at another size. An enlarged picture is interpolated linearly; in a reduced one, each pixel has the
  /// mean of the area that it covers.
  package func scaled(to target: PixelSize) -> LevelPicture {
    guard target != size else { return self }
    let across = Self.shares(of: size.width, among: target.width)
    let down = Self.shares(of: size.height, among: target.height)
    var narrow = [Float](repeating: 0, count: target.width * size.height)
    for row in 0..<size.height {
      for (column, shares) in across.enumerated() {
        var sum: Float = 0
        for share in shares { sum += levels[row * size.width + share.index] * share.weight }
        narrow[row * target.width + column] = sum
      }
    }
    var scaled = [Float](repeating: 0, count: target.width * target.height)
    for (row, shares) in down.enumerated() {
      for share in shares {
        for column in 0..<target.width {
          scaled[row * target.width + column] +=
            narrow[share.index * target.width + column] * share.weight
        }
      }
    }
    return LevelPicture(size: target, levels: scaled)
  }

  /// A sample of the source and its weight in a sample of the target.
  private struct Share {
    var index: Int
    var weight: Float
  }

  /// The samples of the source that contribute to each sample of the target, with weights that add up to 1.
  private static func shares(of count: Int, among target: Int) -> [[Share]] {
    let step = Double(count) / Double(target)
    return (0..<target).map { number in
      guard step > 1 else {
        let place = min(max((Double(number) + 0.5) * step - 0.5, 0), Double(count - 1))
        let index = min(Int(place), max(count - 2, 0))
        let fraction = Float(place - Double(index))
        return [
          Share(index: index, weight: 1 - fraction),
          Share(index: min(index + 1, count - 1), weight: fraction),
        ]
      }
      let (start, end) = (Double(number) * step, min(Double(number + 1) * step, Double(count)))
      return (Int(start)..<min(Int(end.rounded(.up)), count)).map { index in
        let covered = min(end, Double(index + 1)) - max(start, Double(index))
        return Share(index: index, weight: Float(covered / (end - start)))
      }
    }
  }
}
