/// The content of frames within transitions, by the definitions in docs/project-file.md.
extension Example {
  /// The push takes frames 165 to 180, the wipe 315 to 345.
  static let easedPush = Example(
    name: "eased-push", frameCount: 465,
    frames: [
      // After a third of the time, more than half of the distance.
      170: across(
        BezierCurve.easeOut.value(at: 5.0 / 15), from: ExampleMedia.harbor,
        to: ExampleMedia.market),
      176: across(
        BezierCurve.easeOut.value(at: 11.0 / 15), from: ExampleMedia.harbor,
        to: ExampleMedia.market),
      323: down(
        BezierCurve.easeInEaseOut.value(at: 8.0 / 30), from: ExampleMedia.market,
        to: ExampleMedia.station),
      337: down(
        BezierCurve.easeInEaseOut.value(at: 22.0 / 30), from: ExampleMedia.market,
        to: ExampleMedia.station),
    ])

  /// The first fade takes frames 150 to 180 and is black at 165; the second 285 to 330, and is white between 307 and 308.
  static let fadeThroughColor = Example(
    name: "fade-through-color", frameCount: 435,
    frames: [
      158: whole(
        1 - BezierCurve.easeIn.value(at: 8.0 / 15), of: ExampleMedia.harbor, over: .black),
      165: whole(0, of: ExampleMedia.market, over: .black),
      172: whole(BezierCurve.easeIn.value(at: 7.0 / 15), of: ExampleMedia.market, over: .black),
      293: whole(1 - 8 / 22.5, of: ExampleMedia.market, over: .white),
      307: whole(1 - 22 / 22.5, of: ExampleMedia.market, over: .white),
      308: whole(0.5 / 22.5, of: ExampleMedia.station, over: .white),
      320: whole(12.5 / 22.5, of: ExampleMedia.station, over: .white),
    ])

  /// Pixels just before and after an edge that has moved this far to the right.
  private static func across(
    _ progress: Double, from outgoing: ExampleMedia.Color, to incoming: ExampleMedia.Color
  ) -> [Pixel] {
    [
      Pixel(x: progress - 0.015, y: 0.3, color: incoming),
      Pixel(x: progress + 0.015, y: 0.7, color: outgoing),
    ]
  }

  /// Pixels just above and below an edge that has moved this far down.
  private static func down(
    _ progress: Double, from outgoing: ExampleMedia.Color, to incoming: ExampleMedia.Color
  ) -> [Pixel] {
    [
      Pixel(x: 0.3, y: progress - 0.025, color: incoming),
      Pixel(x: 0.7, y: progress + 0.025, color: outgoing),
    ]
  }

  /// A frame of one color, `opacity` of a clip over another.
  private static func whole(
    _ opacity: Double, of clip: ExampleMedia.Color, over color: ExampleMedia.Color
  ) -> [Pixel] {
    [
      Pixel(x: 0.1, y: 0.1, color: .mix(opacity, of: clip, over: color)),
      Pixel(x: 0.5, y: 0.5, color: .mix(opacity, of: clip, over: color)),
    ]
  }
}

/// A cubic Bézier curve from (0, 0) to (1, 1), as Core Animation's timing functions have it.
private struct BezierCurve {
  let x1: Double
  let y1: Double
  let x2: Double
  let y2: Double

  static let easeIn = BezierCurve(x1: 0.42, y1: 0, x2: 1, y2: 1)
  static let easeOut = BezierCurve(x1: 0, y1: 0, x2: 0.58, y2: 1)
  static let easeInEaseOut = BezierCurve(x1: 0.42, y1: 0, x2: 0.58, y2: 1)

  /// The progress after a fraction of the time, found by bisection.
  func value(at time: Double) -> Double {
    func along(_ t: Double, _ first: Double, _ second: Double) -> Double {
      3 * (1 - t) * (1 - t) * t * first + 3 * (1 - t) * t * t * second + t * t * t
    }
    var (low, high) = (0.0, 1.0)
    for _ in 0..<50 {
      let middle = (low + high) / 2
      if along(middle, x1, x2) < time { low = middle } else { high = middle }
    }
    return along(low, y1, y2)
  }
}
