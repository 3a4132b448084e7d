import Planning
import Timeline

/// The order in which the pixels of a frame open while a mask's progress goes from 0 to 1.
///
/// At progress `p`, a pixel with the way `d` shows `clamp((p · (reach + w) − d) / w, 0 ... 1)`, where `reach` is the
/// longest way and `w` the width of the edge: nothing shows at 0, and everything at 1. For shapes, the way is the
/// distance of the pixel's center in pixels of the output, and the edge is at least one pixel wide. For a map, the way
/// is the level, and the edge may be hard.
package struct MaskField: Sendable {
  /// The steepness of the edge: 1 over its width.
  private enum Steepness: Sendable {
    case even(Float)
    case each([Float])
    case hard
  }

  package let size: PixelSize
  private let ways: [Float]
  private let reach: Float
  private let steepness: Steepness

  /// A circle around the center that grows until it contains the corners.
  package static func circle(size: PixelSize, softness: Double) -> MaskField {
    let reach =
      (Self.square(Double(size.width)) + Self.square(Double(size.height)))
      .squareRoot() / 2
    let ways = Self.map(size) { x, y in
      Float(
        (Self.square(x - Double(size.width) / 2) + Self.square(y - Double(size.height) / 2))
          .squareRoot())
    }
    return MaskField(
      size: size, ways: ways, reach: Float(reach),
      steepness: .even(Float(1 / max(softness * reach, 1))))
  }

  /// A clock hand around the center that sweeps clockwise from 12 o'clock. Its edge is as wide as a part of a turn, but
  /// at least one pixel, which is a larger part of a turn near the center.
  package static func clock(size: PixelSize, softness: Double) -> MaskField {
    let center = (x: Double(size.width) / 2, y: Double(size.height) / 2)
    let ways = Self.map(size) { x, y in
      Float(Angle.turns(right: x - center.x, up: center.y - y))
    }
    let steepness = Self.map(size) { x, y in
      let radius = (Self.square(x - center.x) + Self.square(y - center.y)).squareRoot()
      return Float(1 / max(softness, 1 / (2 * Double.pi * max(radius, 0.5))))
    }
    return MaskField(size: size, ways: ways, reach: 1, steepness: .each(steepness))
  }

  /// An edge that crosses the frame.
  package static func edge(
    _ direction: MotionDirection, size: PixelSize, softness: Double
  ) -> MaskField {
    let (width, height) = (Double(size.width), Double(size.height))
    let ways = Self.map(size) { x, y in
      switch direction {
      case .left: Float(width - x)
      case .right: Float(x)
      case .up: Float(height - y)
      case .down: Float(y)
      }
    }
    let reach = direction == .left || direction == .right ? width : height
    return MaskField(
      size: size, ways: ways, reach: Float(reach),
      steepness: .even(Float(1 / max(softness * reach, 1))))
  }

  /// A picture of levels from 0 to 1 that is scaled to the frame and opens from dark to bright.
  package static func map(_ levels: LevelPicture, size: PixelSize, softness: Double) -> MaskField {
    MaskField(
      size: size, ways: levels.scaled(to: size).levels, reach: 1,
      steepness: softness > 0 ? .even(Float(1 / softness)) : .hard)
  }

  /// The weights of the pixels of `bounds`, which must lie in the frame, at a progress: 0 to ``BlendKernel/one``, row
  /// by row.
  package func weights(at progress: Double, in bounds: PixelBounds) -> [Int16] {
    let (columns, rows) = (bounds.right - bounds.left, bounds.bottom - bounds.top)
    let progress = Float(min(max(progress, 0), 1))
    let come = progress * reach
    let one = Float(BlendKernel.one)
    return [Int16](unsafeUninitializedCapacity: columns * rows) { weights, count in
      ways.withUnsafeBufferPointer { ways in
        for row in 0..<rows {
          let start = (bounds.top + row) * size.width + bounds.left
          let target = row * columns
          switch steepness {
          case .even(let steepness):
            for column in 0..<columns {
              let open = (come - ways[start + column]) * steepness + progress
              weights[target + column] = Int16(min(max(open, 0), 1) * one + 0.5)
            }
          case .each(let each):
            for column in 0..<columns {
              let open = (come - ways[start + column]) * each[start + column] + progress
              weights[target + column] = Int16(min(max(open, 0), 1) * one + 0.5)
            }
          case .hard:
            for column in 0..<columns {
              let isOpen = ways[start + column] < progress || progress == 1
              weights[target + column] = isOpen ? BlendKernel.one : 0
            }
          }
        }
      }
      count = columns * rows
    }
  }

  private static func square(_ number: Double) -> Double { number * number }

  /// A value for the center of each pixel.
  private static func map(_ size: PixelSize, _ value: (Double, Double) -> Float) -> [Float] {
    [Float](unsafeUninitializedCapacity: size.width * size.height) { values, count in
      for y in 0..<size.height {
        for x in 0..<size.width {
          values[y * size.width + x] = value(Double(x) + 0.5, Double(y) + 0.5)
        }
      }
      count = size.width * size.height
    }
  }
}
