/// A size of pictures in pixels.
package struct PictureSize: Hashable, Sendable {
  package let width: Int
  package let height: Int

  package init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  var area: Int { width * height }

  /// The largest width and height of a device that makes sense.
  static let largestDimension = 1 << 15

  /// Whether both numbers are positive and make sense.
  var isPlausible: Bool {
    (1...Self.largestDimension).contains(width) && (1...Self.largestDimension).contains(height)
  }
}

/// Sizes of pictures that a device offers: one, or a range with steps.
package struct VideoSizes: Hashable, Sendable {
  /// The numbers from `least` to `most` in steps.
  package struct Steps: Hashable, Sendable {
    let least: Int
    let most: Int
    let step: Int

    package init(_ least: Int, _ most: Int, by step: Int = 1) {
      self.least = least
      self.most = max(least, most)
      self.step = max(1, step)
    }

    func contains(_ number: Int) -> Bool {
      (least...most).contains(number) && (number - least) % step == 0
    }

    /// The highest number up to a limit; the lowest one if all are above it.
    func nearest(upTo limit: Int) -> Int {
      guard limit > least else { return least }
      return least + (min(limit, most) - least) / step * step
    }
  }

  private let widths: Steps
  private let heights: Steps

  package init(_ widths: Steps, _ heights: Steps) {
    self.widths = widths
    self.heights = heights
  }

  func contains(_ size: PictureSize) -> Bool {
    widths.contains(size.width) && heights.contains(size.height)
  }

  /// The largest size that exceeds another one in no dimension, if there is one.
  func nearest(to size: PictureSize) -> PictureSize {
    PictureSize(widths.nearest(upTo: size.width), heights.nearest(upTo: size.height))
  }
}
