import Support
import Testing
import Timeline

/// Setting and querying the ramps of a layer, as in AVFoundation.
@Suite(.mayBlock) struct LayerRampTests {
  private static func range(_ start: Int64, _ end: Int64) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), end: RationalTime(end))
  }

  /// Opacity 0.5 from second 1 on, a ramp over seconds 4 to 6, and 0.2 from second 9 on.
  private func layer() throws -> LayerInstruction {
    var layer = LayerInstruction(track: 1)
    try layer.setOpacity(0.2, at: RationalTime(9))
    try layer.setOpacityRamp(
      fromStartOpacity: 1, toEndOpacity: 0, timeRange: Self.range(4, 6), timingFunction: .easeIn)
    try layer.setOpacity(0.5, at: RationalTime(1))
    return layer
  }

  @Test func `setters keep chronological order regardless of the order of calls`() throws {
    #expect(
      try layer().opacity
        == Ramps([
          .step(at: RationalTime(1), value: 0.5),
          .ramp(timeRange: try Self.range(4, 6), from: 1, to: 0, timingFunction: .easeIn),
          .step(at: RationalTime(9), value: 0.2),
        ]))
  }

  @Test(
    arguments: [
      (0, 0.5, 0.5, 1, 4), (1, 0.5, 0.5, 1, 4), (3, 0.5, 0.5, 1, 4), (4, 1, 0, 4, 6),
      (5, 1, 0, 4, 6),
      (6, 0.2, 0.2, 9, nil), (100, 0.2, 0.2, 9, nil),
    ] as [(Int64, Double, Double, Int64, Int64?)])
  func `the ramp at an instant is the one in effect, or else the next one`(
    time: Int64, start: Double, end: Double, from: Int64, to: Int64?
  ) throws {
    let ramp = try #require(try layer().getOpacityRamp(for: RationalTime(time)))
    #expect(ramp.startValue == start)
    #expect(ramp.endValue == end)
    #expect(ramp.start == RationalTime(from))
    #expect(ramp.end == to.map { RationalTime($0) })
    #expect(try ramp.timeRange == to.map { try Self.range(from, $0) })
    #expect(ramp.timingFunction == (start == end ? .linear : .easeIn))
  }

  @Test func `there is no ramp after the last one, or if none has been set`() throws {
    var layer = LayerInstruction(track: 1)
    #expect(layer.getOpacityRamp(for: .zero) == nil)
    #expect(layer.getTransformRamp(for: .zero) == nil)
    #expect(layer.getCropRectangleRamp(for: .zero) == nil)
    try layer.setOpacityRamp(
      fromStartOpacity: 0, toEndOpacity: 1, timeRange: Self.range(2, 3))
    #expect(layer.getOpacityRamp(for: RationalTime(3)) == nil)
    #expect(layer.getOpacityRamp(for: .zero)?.start == RationalTime(2))
  }

  @Test func `transforms and crops are set and queried like opacities`() throws {
    var layer = LayerInstruction(track: 1)
    let half = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 0, ty: 0)
    let corner = PixelRect(x: 0, y: 0, width: 100, height: 50)
    let whole = PixelRect(x: 0, y: 0, width: 200, height: 100)
    try layer.setTransform(half, at: RationalTime(1))
    try layer.setTransformRamp(
      fromStart: half, toEnd: .identity, timeRange: Self.range(2, 3), timingFunction: .easeOut)
    try layer.setCropRectangle(corner, at: .zero)
    try layer.setCropRectangleRamp(
      fromStartCropRectangle: corner, toEndCropRectangle: whole, timeRange: Self.range(0, 5))
    let transform = try #require(layer.getTransformRamp(for: RationalTime(2)))
    #expect((transform.startValue, transform.endValue) == (half, .identity))
    #expect(transform.timingFunction == .easeOut)
    let crop = try #require(layer.getCropRectangleRamp(for: RationalTime(4)))
    #expect((crop.startValue, crop.endValue) == (corner, whole))
    #expect(layer.crop.pieces.count == 1)
  }

  @Test func `a step replaces another step at the same time`() throws {
    var layer = try layer()
    try layer.setOpacity(0.7, at: RationalTime(9))
    #expect(layer.opacity.pieces.count == 3)
    #expect(layer.getOpacityRamp(for: RationalTime(9))?.startValue == 0.7)
  }

  @Test(
    arguments: [
      (4, 4, "4 s is within the ramp over [4, 6); start at 6 or later"),
      (5, 5, "5 s is within the ramp over [4, 6); start at 6 or later"),
      (5, 8, "the ramp over [5, 8) is within the ramp over [4, 6); start at 6 or later"),
      (2, 5, "the ramp over [2, 5) overlaps the ramp over [4, 6); end at 4 or earlier"),
      (3, 7, "the ramp over [3, 7) overlaps the ramp over [4, 6); end at 4 or earlier"),
      (0, 2, "a step at 1 s is within the ramp over [0, 2); end the ramp at 1 or earlier"),
      (8, 10, "a step at 9 s is within the ramp over [8, 10); end the ramp at 9 or earlier"),
    ] as [(Int64, Int64, String)])
  func `a step or ramp that overlaps a ramp is rejected and changes nothing`(
    start: Int64, end: Int64, message: String
  ) throws {
    var layer = try layer()
    let before = layer
    let range = try Self.range(start, end)
    let error = #expect(throws: EditError.self) {
      if start == end {
        try layer.setOpacity(1, at: range.start)
      } else {
        try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range)
      }
    }
    #expect(error?.code == .overlappingRamp)
    #expect(error?.message == message)
    #expect(layer == before)
  }

  @Test func `ramps and steps may be adjacent`() throws {
    var layer = try layer()
    try layer.setOpacity(1, at: RationalTime(6))
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: Self.range(7, 9))
    try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: Self.range(1, 4))
    #expect(layer.opacity.pieces.count == 5)
  }

  @Test func `an empty ramp is rejected`() throws {
    var layer = LayerInstruction(track: 1)
    let range = try TimeRange(start: RationalTime(2), duration: .zero)
    #expect(throws: EditError.self) {
      try layer.setOpacityRamp(fromStartOpacity: 0, toEndOpacity: 1, timeRange: range)
    }
  }
}
