import Foundation
import Rendering
import Support
import Testing
import Timeline

/// Compares masks with the formulas of docs/project-file.md, in real numbers.
@Suite(.mayBlock) struct MaskFieldTests {
  private static let size = PixelSize(width: 96, height: 54)
  private static let bounds = PixelBounds(left: 0, top: 0, right: 96, bottom: 54)
  private static let softnesses: [Double] = [0, 0.1, 0.6, 1]
  private static let stages: [Double] = [0, 0.01, 0.25, 1.0 / 3, 0.5, 0.8, 0.99, 1]

  /// Compares each weight with `clamp((p · (reach + w) − d) / w, 0 ... 1)`.
  private static func expect(
    _ field: MaskField, at progress: Double, reach: Double,
    way: (Double, Double) -> Double, width: (Double, Double) -> Double
  ) {
    let weights = field.weights(at: progress, in: bounds)
    var worst = 0.0
    for y in 0..<size.height {
      for x in 0..<size.width {
        let (x, y) = (Double(x) + 0.5, Double(y) + 0.5)
        let edge = width(x, y)
        let open = (progress * (reach + edge) - way(x, y)) / edge
        let weight = Double(weights[Int(y) * size.width + Int(x)]) / 16384
        worst = max(worst, abs(weight - min(max(open, 0), 1)))
      }
    }
    // A tenth of an 8-bit code value.
    #expect(worst < 0.0004)
  }

  @Test(arguments: softnesses, stages) func `a circle opens from the center to the corners`(
    softness: Double, progress: Double
  ) {
    let reach = hypot(96.0, 54) / 2
    Self.expect(
      .circle(size: Self.size, softness: softness), at: progress, reach: reach,
      way: { hypot($0 - 48, $1 - 27) }, width: { _, _ in max(softness * reach, 1) })
  }

  @Test(arguments: softnesses, stages) func `a clock's hand turns clockwise from 12 o'clock`(
    softness: Double, progress: Double
  ) {
    Self.expect(
      .clock(size: Self.size, softness: softness), at: progress, reach: 1,
      way: { x, y in
        let angle = atan2(x - 48, 27 - y) / (2 * .pi)
        return angle < 0 ? angle + 1 : angle
      }, width: { max(softness, 1 / (2 * .pi * max(hypot($0 - 48, $1 - 27), 0.5))) })
  }

  @Test(arguments: MotionDirection.allCases, [0.0, 0.3, 1])
  func `an edge crosses the frame in its direction`(
    direction: MotionDirection, softness: Double
  ) {
    let reach = direction == .left || direction == .right ? 96.0 : 54
    for progress in [0.0, 0.2, 0.7, 1] {
      Self.expect(
        .edge(direction, size: Self.size, softness: softness), at: progress, reach: reach,
        way: { x, y in
          switch direction {
          case .left: 96 - x
          case .right: x
          case .up: 54 - y
          case .down: y
          }
        }, width: { _, _ in max(softness * reach, 1) })
    }
  }

  /// The levels of a map, all from 0 to 255 in an irregular order.
  private static let levels = (0..<96 * 54).map { (pixel: Int) -> Float in
    Float(pixel * 7 % 256) / 255
  }

  @Test func `a map opens from dark to bright, exactly at each level if its edge is hard`() {
    let field = MaskField.map(
      LevelPicture(size: Self.size, levels: Self.levels), size: Self.size, softness: 0)
    for progress in [0.0, 0.1, 0.37, 0.502, 0.999] {
      let weights = field.weights(at: progress, in: Self.bounds)
      #expect(weights == Self.levels.map { Double($0) < progress ? 16384 : 0 }, "\(progress)")
    }
    #expect(field.weights(at: 1, in: Self.bounds).allSatisfy { $0 == 16384 })
  }

  @Test(arguments: [0.1, 0.5, 1.0]) func `a map's edge has the given softness`(softness: Double) {
    let field = MaskField.map(
      LevelPicture(size: Self.size, levels: Self.levels), size: Self.size, softness: softness)
    for progress in [0.0, 0.2, 0.77, 1] {
      let weights = field.weights(at: progress, in: Self.bounds)
      for (weight, level) in zip(weights, Self.levels) {
        let open = (progress * (1 + softness) - Double(level)) / softness
        #expect(abs(Double(weight) / 16384 - min(max(open, 0), 1)) < 0.0004)
      }
    }
  }

  @Test func `an enlarged map is interpolated, and a reduced one is averaged`() {
    let ramp = LevelPicture(size: PixelSize(width: 4, height: 1), levels: [0, 0.25, 0.5, 0.75])
    let grown = ramp.scaled(to: PixelSize(width: 8, height: 2)).levels
    #expect(grown == [0, 0.0625, 0.1875, 0.3125, 0.4375, 0.5625, 0.6875, 0.75] + grown[8...])
    #expect(Array(grown[..<8]) == Array(grown[8...]))
    let shrunk = ramp.scaled(to: PixelSize(width: 2, height: 1)).levels
    #expect(shrunk == [0.125, 0.625])
    let thirds = LevelPicture(size: PixelSize(width: 3, height: 1), levels: [0, 0.5, 1])
      .scaled(to: PixelSize(width: 2, height: 1)).levels
    #expect(abs(thirds[0] - 0.5 / 3) < 1e-6)
    #expect(abs(thirds[1] - 2.5 / 3) < 1e-6)
  }

  @Test func `a part of the frame has the same weights as in the whole frame`() {
    let field = MaskField.circle(size: Self.size, softness: 0.4)
    let part = PixelBounds(left: 10, top: 4, right: 30, bottom: 22)
    let (whole, weights) = (
      field.weights(at: 0.4, in: Self.bounds), field.weights(at: 0.4, in: part)
    )
    for y in 0..<18 {
      for x in 0..<20 { #expect(weights[y * 20 + x] == whole[(y + 4) * 96 + x + 10]) }
    }
  }
}
