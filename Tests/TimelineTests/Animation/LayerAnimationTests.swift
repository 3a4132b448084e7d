import Support
import Testing
import Timeline

/// Animations have the same values as in Core Animation at every instant.
@Suite(.mayBlock) struct LayerAnimationTests {
  private static func time(_ text: String) throws -> RationalTime { try RationalTime(text) }

  private static func animation(
    repeatCount: Double = 1, autoreverses: Bool = false,
    fillMode: LayerAnimation.FillMode = .removed
  ) -> LayerAnimation {
    LayerAnimation(
      .rotation, values: [.number(10), .number(20)], beginTime: RationalTime(2),
      duration: RationalTime(4), repeatCount: repeatCount, autoreverses: autoreverses,
      fillMode: fillMode)
  }

  @Test(
    arguments: [
      ("1", nil), ("2", 10), ("3", 12.5), ("5", 17.5), ("6", nil), ("100", nil),
    ] as [(String, Double?)])
  func `a basic animation runs from its first to its last value`(
    time: String, value: Double?
  ) throws {
    #expect(Self.animation().value(at: try Self.time(time)) == value.map(LayerValue.number))
  }

  @Test(
    arguments: [
      (LayerAnimation.FillMode.removed, nil, nil), (.backwards, 10, nil), (.forwards, nil, 20),
      (.both, 10, 20),
    ] as [(LayerAnimation.FillMode, Double?, Double?)])
  func `the fill mode determines the values before and after`(
    mode: LayerAnimation.FillMode, before: Double?, after: Double?
  ) throws {
    let animation = Self.animation(fillMode: mode)
    #expect(animation.value(at: .zero) == before.map(LayerValue.number))
    #expect(animation.value(at: RationalTime(6)) == after.map(LayerValue.number))
  }

  @Test(arguments: [
    (2.0, false, "7", 12.5), (2.0, true, "7", 17.5), (2.0, true, "11", 12.5),
    (2.0, true, "17", 12.5), (2.0, true, "18", 10), (1.5, false, "8", 15), (1.5, true, "14", 20),
    (.infinity, true, "4002", 10),
  ])
  func `an animation repeats and autoreverses`(
    count: Double, reverses: Bool, time: String, value: Double
  ) throws {
    let animation = Self.animation(
      repeatCount: count, autoreverses: reverses, fillMode: .forwards)
    #expect(animation.value(at: try Self.time(time)) == .number(value))
  }

  @Test(arguments: [("0", 0), ("1/2", 5), ("1", 10), ("2", 15), ("3", 20), ("4", 20)])
  func `keyframes are reached at their times`(time: String, value: Double) throws {
    let animation = LayerAnimation(
      .rotation, values: [.number(0), .number(10), .number(20)], keyTimes: [0, 0.25, 0.75],
      duration: RationalTime(4), fillMode: .forwards)
    #expect(animation.value(at: try Self.time(time)) == .number(value))
  }

  @Test(arguments: [("0", 0), ("1", 0), ("2", 10), ("3", 20), ("5", 20)])
  func `discrete values hold until the next one`(time: String, value: Double) throws {
    let animation = LayerAnimation(
      .rotation, values: [.number(0), .number(10), .number(20)], isDiscrete: true,
      duration: RationalTime(4), fillMode: .forwards)
    #expect(animation.value(at: try Self.time(time)) == .number(value))
  }

  @Test func `each pair of keyframes has its own timing function`() throws {
    let animation = LayerAnimation(
      .rotation, values: [.number(0), .number(10), .number(20)],
      timingFunctions: [.easeIn, .linear], duration: RationalTime(4))
    let eased = 10 * TimingFunction.easeIn.progress(after: 0.5)
    #expect(animation.value(at: RationalTime(1)) == .number(eased))
    #expect(animation.value(at: RationalTime(3)) == .number(15))
  }

  @Test func `points, rectangles and colors are interpolated linearly`() {
    func half(_ one: LayerValue, _ other: LayerValue) -> LayerValue? {
      LayerAnimation(.position, values: [one, other], duration: RationalTime(2))
        .value(at: RationalTime(1))
    }
    #expect(
      half(.point(LayerPoint(x: 0, y: 2)), .point(LayerPoint(x: 4, y: 4)))
        == .point(LayerPoint(x: 2, y: 3)))
    #expect(
      half(
        .rect(PixelRect(x: 0, y: 0, width: 2, height: 4)),
        .rect(PixelRect(x: 2, y: 0, width: 4, height: 4)))
        == .rect(PixelRect(x: 1, y: 0, width: 3, height: 4)))
    guard
      case .color(let color) = half(
        .color(BlendedColor(.black)),
        .color(BlendedColor(Color(red: 255, green: 0, blue: 100))))
    else {
      Issue.record("interpolated colors are not a color")
      return
    }
    #expect(color.red == 127.5 && color.green == 0 && color.blue == 50)
  }
}
