import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Compares an eased fade through a color and an eased slide of solid colors with computed values.
@Suite(.mayBlock) struct EasedTransitionTests {
  private let folder: TemporaryDirectory
  private let paths: [String]

  init() throws {
    folder = try TemporaryDirectory()
    paths = [folder.path("dark.mp4"), folder.path("bright.mp4")]
    try SolidClip(color: TransitionTests.dark, frameCount: 20).write(to: paths[0])
    try SolidClip(color: TransitionTests.bright, frameCount: 20).write(to: paths[1])
  }

  @Test func `every pixel of a fade through white is within one code value`() throws {
    // The middle of 13 frames lies between two of them.
    let halves = try (
      TimeRange(start: .zero, duration: RationalTime(13, 60)),
      TimeRange(start: RationalTime(13, 60), duration: RationalTime(13, 60))
    )
    var scene = TestScene(
      paths: paths,
      layers: [
        .init(
          source: 0, frames: Array(0..<13),
          opacity: Ramps([.ramp(timeRange: halves.0, from: 1, to: 0, timingFunction: .easeIn)])),
        .init(
          source: 1, frames: Array(0..<13),
          opacity: Ramps([
            .step(at: .zero, value: 0),
            .ramp(timeRange: halves.1, from: 0, to: 1, timingFunction: .easeIn),
          ])),
      ])
    scene.background = Color(red: 255, green: 255, blue: 255)
    let (dark, bright) = (TransitionTests.dark, TransitionTests.bright)
    let frames = try scene.renderedFrames(in: folder)
    #expect(frames.count == 13)
    for (number, frame) in frames.enumerated() {
      let passed = Double(number) / 6.5
      let isFirst = passed < 1
      let eased = TimingFunction.easeIn.progress(after: isFirst ? passed : passed - 1)
      let opacity = isFirst ? 1 - eased : eased
      func near(_ samples: [UInt8], _ dark: Int, _ bright: Int, _ white: Double) -> Bool {
        let expected = white + (Double(isFirst ? dark : bright) - white) * opacity
        return samples.allSatisfy { abs(Double($0) - expected) <= 1 }
      }
      #expect(near(frame.luma, dark.y, bright.y, 235), "luma of frame \(number)")
      #expect(near(frame.cb, dark.u, bright.u, 128), "Cb of frame \(number)")
      #expect(near(frame.cr, dark.v, bright.v, 128), "Cr of frame \(number)")
    }
  }

  @Test(arguments: TransitionTests.directions)
  func `an eased slide has its edge on the exact pixel of each frame`(
    _ step: (x: Double, y: Double)
  ) throws {
    let start = AffineTransform(
      a: 1, b: 0, c: 0, d: 1, tx: -320 * step.x, ty: -180 * step.y)
    let scene = TestScene(
      paths: paths,
      layers: [
        .init(
          source: 1, frames: Array(0..<13),
          transform: Ramps([
            .ramp(
              timeRange: try .frames(0, count: 13), from: start, to: .identity,
              timingFunction: .easeInEaseOut)
          ])),
        .init(source: 0, frames: Array(0..<13)),
      ])
    let isAcross = step.x != 0
    let length = isAcross ? 320 : 180
    for (number, frame) in try scene.renderedFrames(in: folder).enumerated() {
      let progress = TimingFunction.easeInEaseOut.progress(after: Double(number) / 13)
      let origin = -(step.x + step.y) * Double(length) * (1 - progress)
      let expected = (0..<length).map { pixel -> UInt8 in
        let center = Double(pixel) + 0.5
        return center >= origin && center < origin + Double(length) ? 200 : 40
      }
      #expect((isAcross ? frame.row(90) : frame.column(160)) == expected, "frame \(number)")
    }
  }
}
