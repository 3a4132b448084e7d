import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Compares irises, clock wipes, soft edges and luma maps of solid colors with computed values, from file to file.
@Suite(.mayBlock) struct MaskTests {
  private let folder: TemporaryDirectory
  private let paths: [String]
  private static let size = (width: 320.0, height: 180.0)

  init() throws {
    folder = try TemporaryDirectory()
    paths = [folder.path("dark.mp4"), folder.path("bright.mp4")]
    try SolidClip(color: TransitionTests.dark, frameCount: 20).write(to: paths[0])
    try SolidClip(color: TransitionTests.bright, frameCount: 20).write(to: paths[1])
  }

  /// Compares every sample of 13 frames, over which the mask opens, with `open` at each pixel's center.
  private func check(
    _ shape: MaskSlice.Shape, softness: Double, map: String? = nil,
    incoming: TestScene.Layer? = nil,
    open: (Double, Double, Double) -> Double
  ) throws {
    var layer = incoming ?? TestScene.Layer(source: 1, frames: Array(0..<13))
    layer.mask = MaskSlice(
      shape: shape, softness: softness,
      progress: Ramps([.ramp(timeRange: try .frames(0, count: 13), from: 0, to: 1)]))
    let scene = TestScene(
      paths: paths + [map].compactMap(\.self),
      layers: [layer, .init(source: 0, frames: Array(0..<13))])
    let frames = try scene.renderedFrames(in: folder)
    #expect(frames.count == 13)
    let (dark, bright) = (TransitionTests.dark, TransitionTests.bright)
    for (number, frame) in frames.enumerated() {
      let progress = Double(number) / 13
      let opened = (0..<180).map { y in
        (0..<320).map { x in min(max(open(progress, Double(x) + 0.5, Double(y) + 0.5), 0), 1) }
      }
      var (luma, chroma) = (0.0, 0.0)
      for y in 0..<180 {
        for x in 0..<320 {
          let wanted = Double(dark.y) + Double(bright.y - dark.y) * opened[y][x]
          luma = max(luma, abs(Double(frame.luma[y * 320 + x]) - wanted))
        }
      }
      for y in 0..<90 {
        for x in 0..<160 {
          let mean =
            (opened[2 * y][2 * x] + opened[2 * y][2 * x + 1] + opened[2 * y + 1][2 * x]
              + opened[2 * y + 1][2 * x + 1]) / 4
          let wanted = (
            Double(dark.u) + Double(bright.u - dark.u) * mean,
            Double(dark.v) + Double(bright.v - dark.v) * mean
          )
          chroma = max(chroma, abs(Double(frame.cb[y * 160 + x]) - wanted.0))
          chroma = max(chroma, abs(Double(frame.cr[y * 160 + x]) - wanted.1))
        }
      }
      #expect(luma <= 1, "luma of frame \(number)")
      #expect(chroma <= 1, "chroma of frame \(number)")
    }
  }

  @Test(arguments: [0.0, 0.25, 1])
  func `every pixel of an iris is within one code value`(softness: Double) throws {
    let reach = hypot(Self.size.width, Self.size.height) / 2
    let edge = max(softness * reach, 1)
    try check(.circle, softness: softness) { progress, x, y in
      (progress * (reach + edge) - hypot(x - 160, y - 90)) / edge
    }
  }

  @Test(arguments: [0.0, 0.125])
  func `every pixel of a clock wipe is within one code value`(softness: Double) throws {
    try check(.clock, softness: softness) { progress, x, y in
      let angle = atan2(x - 160, 90 - y) / (2 * .pi)
      let edge = max(softness, 1 / (2 * .pi * max(hypot(x - 160, y - 90), 0.5)))
      return (progress * (1 + edge) - (angle < 0 ? angle + 1 : angle)) / edge
    }
  }

  @Test(arguments: MotionDirection.allCases)
  func `every pixel of a soft wipe is within one code value`(
    direction: MotionDirection
  ) throws {
    let reach = direction == .left || direction == .right ? 320.0 : 180
    try check(.edge(direction), softness: 0.2) { progress, x, y in
      let way =
        switch direction {
        case .left: 320 - x
        case .right: x
        case .up: 180 - y
        case .down: y
        }
      return (progress * reach * 1.2 - way) / (0.2 * reach)
    }
  }

  @Test(arguments: ["gray", "rgb24", "gray16be"], [0.0, 0.3])
  func `every pixel of a luma wipe is within one code value`(format: String, softness: Double)
    throws
  {
    // Levels that rise along the diagonal, and fall again in the lower half.
    func level(_ x: Int, _ y: Int) -> Int { y < 90 ? (x + y) % 256 : 255 - (x + y) % 256 }
    let map = folder.path("map.png")
    let raw = folder.path("map.raw")
    try Data((0..<180).flatMap { y in (0..<320).map { UInt8(level($0, y)) } })
      .write(to: URL(fileURLWithPath: raw))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "gray", "-color_range", "pc", "-s",
        "320x180", "-i", raw, "-frames:v", "1", "-pix_fmt", format, map,
      ])
    let depth = format == "gray16be" ? 65535.0 : 255
    try check(.map(source: 2), softness: softness, map: map) { progress, x, y in
      let value = (Double(level(Int(x), Int(y))) * depth / 255).rounded() / depth
      guard softness > 0 else { return value < progress ? 1 : 0 }
      return (progress * (1 + softness) - value) / softness
    }
  }

  @Test func `a mask stays with the frame while its layer is cropped, faded and turned`() throws {
    let reach = hypot(Self.size.width, Self.size.height) / 2
    let layer = TestScene.Layer(
      source: 1, frames: Array(0..<13), opacity: Ramps([.step(at: .zero, value: 0.5)]),
      transform: Ramps([
        .step(at: .zero, value: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 250, ty: -70))
      ]),
      crop: Ramps([.step(at: .zero, value: PixelRect(x: 90, y: 11, width: 101, height: 120))]))
    try check(.circle, softness: 0, incoming: layer) { progress, x, y in
      // Rows 20 to 121 and columns 119 to 239 of the output show the crop.
      guard (119..<239).contains(x), (20..<121).contains(y) else { return 0 }
      return 0.5 * min(max(progress * (reach + 1) - hypot(x - 160, y - 90), 0), 1)
    }
  }

  @Test func `a mask applies to a picture that is rotated by any angle`() throws {
    let layer = TestScene.Layer(
      source: 1, frames: Array(0..<13),
      transform: Ramps([
        .step(at: .zero, value: AffineTransform(a: 4, b: 3, c: -3, d: 4, tx: -400, ty: -700))
      ]))
    let reach = hypot(Self.size.width, Self.size.height) / 2
    try check(.circle, softness: 0.5, incoming: layer) { progress, x, y in
      (progress * reach * 1.5 - hypot(x - 160, y - 90)) / (0.5 * reach)
    }
  }
}
