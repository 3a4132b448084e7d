import Planning
import Timeline

/// When each pixel of a frame opens as a mask's progress goes from 0 to 1.
///
/// A pixel whose way is `d`, of `reach` in all, shows `clamp((p · (reach + w) − d) / w, 0 ... 1)` at progress `p`, with `w`
/// the edge's width: at 0 nothing shows, at 1 everything. The ways of shapes are distances of the pixel's centre in pixels
/// of the output, and their edges are a pixel wide at least; a map's way is its level, and its edge may be hard.
package struct MaskField: Sendable {
  /// How steep the edge is: 1 over its width.
  private enum Steepness: Sendable {
    case even(Float)
    case each([Float])
    case hard
  }

  /// The frame's size.
  package let size: PixelSize
  private let ways: [Float]
  private let reach: Float
  private let steepness: Steepness

  /// A circle about the centre, which grows until it holds the corners.
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

  /// A hand about the centre, which turns clockwise from 12 o'clock. Its edge is as wide as a part of a turn, and a pixel
  /// at least, which is more of a turn near the centre.
  package static func clock(size: PixelSize, softness: Double) -> MaskField {
    let centre = (x: Double(size.width) / 2, y: Double(size.height) / 2)
    let ways = Self.map(size) { x, y in
      Float(Angle.turns(right: x - centre.x, up: centre.y - y))
    }
    let steepness = Self.map(size) { x, y in
      let radius = (Self.square(x - centre.x) + Self.square(y - centre.y)).squareRoot()
      return Float(1 / max(softness, 1 / (2 * Double.pi * max(radius, 0.5))))
    }
    return MaskField(size: size, ways: ways, reach: 1, steepness: .each(steepness))
  }

  /// An edge that crosses the frame.
  package static func edge(
    _ direction: SequenceTransition.Direction, size: PixelSize, softness: Double
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

  /// A picture of levels from 0 to 1, which opens from the dark to the bright and is scaled to the frame.
  package static func map(_ levels: LevelPicture, size: PixelSize, softness: Double) -> MaskField {
    MaskField(
      size: size, ways: levels.scaled(to: size).levels, reach: 1,
      steepness: softness > 0 ? .even(Float(1 / softness)) : .hard)
  }

  /// The weights of the pixels of `bounds`, which lie in the frame, at a progress: 0 to ``BlendKernel/one``, row after row.
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

  /// A value for the centre of each pixel.
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
