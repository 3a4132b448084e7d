import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

/// Compares a dissolve, a push and a wipe of solid colors with computed values.
@Suite(.mayBlock) struct TransitionTests {
  private let folder: TemporaryDirectory
  private let paths: [String]
  static let dark = (y: 40, u: 90, v: 200)
  static let bright = (y: 200, u: 170, v: 60)

  init() throws {
    folder = try TemporaryDirectory()
    paths = [folder.path("dark.mp4"), folder.path("bright.mp4")]
    try SolidClip(color: Self.dark, frameCount: 20).write(to: paths[0])
    try SolidClip(color: Self.bright, frameCount: 20).write(to: paths[1])
  }

  private static func near(_ samples: [UInt8], _ expected: Double) -> Bool {
    samples.allSatisfy { abs(Double($0) - expected) <= 1 }
  }

  @Test func `every pixel of a dissolve is within one code value`() throws {
    let ramp = Ramps<Double>([.ramp(timeRange: try .frames(2, count: 12), from: 1, to: 0)])
    let scene = TestScene(
      paths: paths,
      layers: [
        .init(source: 0, frames: Array(0..<16), opacity: ramp),
        .init(source: 1, frames: Array(0..<16)),
      ])
    let frames = try scene.renderedFrames(in: folder)
    #expect(frames.count == 16)
    for (number, frame) in frames.enumerated() {
      let opacity = 1 - min(max(Double(number - 2) / 12, 0), 1)
      func mixed(_ a: Int, _ b: Int) -> Double { Double(a) * opacity + Double(b) * (1 - opacity) }
      #expect(Self.near(frame.luma, mixed(Self.dark.y, Self.bright.y)), "luma of frame \(number)")
      #expect(Self.near(frame.cb, mixed(Self.dark.u, Self.bright.u)), "Cb of frame \(number)")
      #expect(Self.near(frame.cr, mixed(Self.dark.v, Self.bright.v)), "Cr of frame \(number)")
    }
  }

  /// An even and an odd column: if a layer above has an odd edge, all layers are composited together.
  @Test(arguments: [64, 65]) func `a dissolve of held frames is the same beneath another picture`(
    _ left: Int
  ) throws {
    let clips = [folder.path("a.mp4"), folder.path("b.mp4")]
    for (number, clip) in clips.enumerated() {
      try FrameNamingClip(source: number, frameCount: 20).write(to: clip)
    }
    let corner = AffineTransform(a: 0.25, b: 0, c: 0, d: 0.25, tx: Double(left), ty: 32)
    let shown = [[0, 0, 1, 4, 4, 4, 9, 2, 2, 3], [7, 8, 8, 8, 9, 9, 15, 16, 16, 17]]
    var scene = TestScene(
      paths: clips + [paths[0]],
      layers: [
        .init(
          source: 2, frames: Array(0..<10), transform: Ramps([.step(at: .zero, value: corner)])),
        .init(
          source: 0, frames: shown[0],
          opacity: Ramps([.ramp(timeRange: try .frames(0, count: 10), from: 1, to: 0)])),
        .init(source: 1, frames: shown[1]),
      ])
    let originals = try clips.map { try DecodedFrame.all(in: $0, size: scene.size) }
    func check(_ isAbove: Bool) throws {
      let frames = try scene.renderedFrames(in: folder)
      #expect(frames.count == 10)
      for (number, frame) in frames.enumerated() {
        let (a, b) = (originals[0][shown[0][number]], originals[1][shown[1][number]])
        let opacity = 1 - Double(number) / 10
        let isNear = (0..<scene.size.height).allSatisfy { y in
          (0..<scene.size.width).allSatisfy { x in
            let isCovered =
              isAbove && (left..<left + 80).contains(x) && (32..<32 + 45).contains(y)
            let at = y * scene.size.width + x
            let expected =
              isCovered
              ? Double(Self.dark.y)
              : Double(a.luma[at]) * opacity + Double(b.luma[at]) * (1 - opacity)
            return abs(Double(frame.luma[at]) - expected) <= 1
          }
        }
        #expect(isNear, "frame \(number)")
      }
    }
    try check(true)
    scene.layers.removeFirst()
    scene.paths.removeLast()
    try check(false)
  }

  /// The bit depths of two sources.
  @Test(arguments: [8, 10])
  func `an encoder looks as far ahead as its preset says, whatever is decoded`(depth: Int) throws {
    let clip = folder.path("clip.mp4")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "color=gray:s=320x180:r=30:d=0.2", "-pix_fmt",
        depth == 8 ? "yuv420p" : "yuv420p10le", "-c:v", "libx264", clip,
      ])
    var scene = TestScene(
      paths: [clip, clip], layers: [0, 1].map { .init(source: $0, frames: [0, 1, 2]) })
    scene.size = PixelSize(width: 1920, height: 1080)
    scene.video = VideoSettings(crf: 30, encoderPreset: "veryfast")
    let path = folder.path("chunk.mp4")
    try scene.render(to: path)
    let bytes = try Data(contentsOf: URL(filePath: path))
    // libx264 writes its options into the stream: `veryfast` looks 10 pictures ahead.
    #expect(bytes.firstRange(of: Data("rc_lookahead=10 ".utf8)) != nil)
  }

  /// Left, right, up and down, each as the direction in which the picture is pushed.
  static let directions = [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)]

  @Test(arguments: directions) func `a push has its edge on the exact pixel of each frame`(
    _ step: (x: Double, y: Double)
  ) throws {
    let (width, height) = (320.0 * step.x, 180.0 * step.y)
    func moving(from: (Double, Double), to: (Double, Double)) throws -> Ramps<AffineTransform> {
      Ramps([
        .ramp(
          timeRange: try .frames(0, count: 13),
          from: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: from.0, ty: from.1),
          to: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: to.0, ty: to.1))
      ])
    }
    var scene = TestScene(
      paths: paths,
      layers: [
        .init(
          source: 0, frames: Array(0..<13),
          transform: try moving(from: (0, 0), to: (width, height))),
        .init(
          source: 1, frames: Array(0..<13),
          transform: try moving(from: (-width, -height), to: (0, 0))),
      ])
    scene.background = Color(red: 255, green: 0, blue: 0)
    let frames = try scene.renderedFrames(in: folder)
    let isAcross = step.x != 0
    let length = isAcross ? 320 : 180
    for (number, frame) in frames.enumerated() {
      let line = isAcross ? frame.row(90) : frame.column(160)
      let moved = Double(length) * Double(number) / 13
      // The pixels of the outgoing picture, whose centers lie from the shift on, or up to it.
      let leaves = step.x + step.y > 0 ? moved : -moved
      let expected = (0..<length).map { pixel -> UInt8 in
        let center = Double(pixel) + 0.5
        let isLeaving = center >= leaves && center < leaves + Double(length)
        return isLeaving ? 40 : 200
      }
      #expect(line == expected, "frame \(number)")
      let allowed: Set<UInt8> = [90, 130, 170]
      #expect(allowed.isSuperset(of: frame.cb), "the background shows in frame \(number)")
    }
  }

  @Test func `a wipe has its edge on the exact pixel column of each frame`() throws {
    let crop = Ramps<PixelRect>([
      .ramp(
        timeRange: try .frames(0, count: 13), from: PixelRect(x: 0, y: 0, width: 320, height: 180),
        to: PixelRect(x: 320, y: 0, width: 0, height: 180))
    ])
    let scene = TestScene(
      paths: paths,
      layers: [
        .init(source: 0, frames: Array(0..<13), crop: crop),
        .init(source: 1, frames: Array(0..<13)),
      ])
    for (number, frame) in try scene.renderedFrames(in: folder).enumerated() {
      let edge = 320 * Double(number) / 13
      let expected = (0..<320).map { Double($0) + 0.5 < edge ? UInt8(200) : 40 }
      #expect(frame.row(17) == expected, "frame \(number)")
    }
  }

  @Test func `the background shows in its color where there is no layer`() throws {
    var scene = TestScene(
      paths: paths,
      layers: [
        .init(
          source: 0, frames: [0, 1, 2],
          crop: Ramps([.step(at: .zero, value: PixelRect(x: 0, y: 0, width: 100, height: 180))]))
      ])
    scene.background = Color(red: 255, green: 255, blue: 255)
    let frame = try scene.renderedFrames(in: folder)[1]
    #expect(frame.row(9) == (0..<320).map { $0 < 100 ? 40 : 235 })
  }
}
