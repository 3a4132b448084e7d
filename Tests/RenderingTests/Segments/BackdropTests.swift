import Foundation
import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// Compares backdrops with computed values, for a small portrait clip in a landscape frame.
@Suite(.mayBlock) struct BackdropTests {
  private let folder: TemporaryDirectory
  private let clip: String
  private let bright: String

  /// 90×160 in a frame of 320×180: scaled by 9/8 to 102×180 at column 110, and by 32/9 to fill the frame.
  private static let placed = AffineTransform(
    a: 102.0 / 90, b: 0, c: 0, d: 180.0 / 160, tx: 108, ty: 0)
  private static let frame = PixelRect(
    x: -108 / (102.0 / 90), y: 0, width: 320 / (102.0 / 90), height: 160)

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
    bright = folder.path("bright.mp4")
    try SolidClip(color: TransitionTests.bright, frameCount: 4).write(to: bright)
  }

  /// Writes a clip of four frames whose luma is `level` at each pixel, without color.
  private func write(_ level: (Int, Int) -> Int) throws {
    let raw = folder.path("clip.yuv")
    var picture = Data((0..<160).flatMap { y in (0..<90).map { UInt8(level($0, y)) } })
    picture.append(Data(repeating: 128, count: 2 * 45 * 80))
    try Data((0..<4).flatMap { _ in picture }).write(to: URL(fileURLWithPath: raw))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-r", "30", "-s", "90x160",
        "-i", raw, "-c:v", "libx264", "-preset", "ultrafast", "-qp", "0", "-bitexact", clip,
      ])
  }

  private func frames(_ layer: TestScene.Layer) throws -> [DecodedFrame] {
    try TestScene(
      paths: [clip, bright], layers: [layer, .init(source: 1, frames: [0, 1])]
    ).renderedFrames(in: folder)
  }

  private static func layer(_ fill: Backdrop.Fill) -> TestScene.Layer {
    TestScene.Layer(
      source: 0, frames: [0, 1], transform: Ramps([.step(at: .zero, value: placed)]),
      backdrop: Backdrop(rect: frame, fill: fill))
  }

  @Test func `blurring leaves a solid color unchanged`() throws {
    try write { _, _ in 77 }
    let frame = try frames(Self.layer(.blur(sigma: 12)))[0]
    #expect(frame.luma.allSatisfy { $0 == 77 })
    #expect(frame.cb.allSatisfy { $0 == 128 })
  }

  @Test(arguments: [8.0, 13, 20, 60])
  func `a blurred edge is the integral of the bell curve, within one code value`(sigma: Double)
    throws
  {
    // The picture's middle row is that of the frame, and its copy is 160 × 32/9 × 17/15 rows high.
    try write { _, y in y < 80 ? 60 : 180 }
    let frame = try frames(Self.layer(.blur(sigma: sigma)))[0]
    // The backdrop's scale in display size is that of its width. The frame's rows are 9/8 of those of the display size.
    let spread = sigma * 180 / 160
    var worst = 0.0
    for x in [0, 50, 107, 210, 300, 319] {
      for (y, sample) in frame.column(x).enumerated() {
        let distance = Double(y) + 0.5 - 90
        let wanted = 120 + 60 * erf(distance / spread / 2.0.squareRoot())
        worst = max(worst, abs(Double(sample) - wanted))
      }
    }
    #expect(worst <= 1)
  }

  @Test func `a backdrop does not change the picture itself`() throws {
    try write { x, y in 40 + (x * 7 + y * 13) % 170 }
    var plain = Self.layer(.blur(sigma: 9))
    plain.backdrop = nil
    let (with, without) = (try frames(Self.layer(.blur(sigma: 9)))[0], try frames(plain)[0])
    for y in 0..<180 {
      #expect(with.row(y)[108..<210] == without.row(y)[108..<210], "row \(y)")
    }
  }

  @Test func `opacity fades picture and backdrop as one`() throws {
    try write { _, _ in 100 }
    var layer = Self.layer(.color(.black))
    layer.opacity = Ramps([.step(at: .zero, value: 0.25)])
    let frame = try frames(layer)[0]
    let (bright, black) = (Double(TransitionTests.bright.y), 16.0)
    for (x, sample) in frame.row(70).enumerated() {
      let top = (108..<210).contains(x) ? 100 : black
      #expect(abs(Double(sample) - (bright + (top - bright) * 0.25)) <= 1, "column \(x)")
    }
  }

  @Test func `a crop also cuts the backdrop, and a shift also moves it`() throws {
    try write { _, _ in 100 }
    var layer = Self.layer(.color(Color(red: 255, green: 255, blue: 255)))
    layer.crop = Ramps([
      .step(
        at: .zero,
        value: PixelRect(
          x: Self.frame.x, y: 40, width: Self.frame.width, height: 80))
    ])
    layer.transform = Ramps([
      .step(
        at: .zero,
        value: Self.placed.concatenating(
          AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 60, ty: 0)))
    ])
    let frame = try frames(layer)[0]
    let beneath = UInt8(TransitionTests.bright.y)
    #expect(frame.column(10).allSatisfy { $0 == beneath })
    #expect(
      frame.column(100) == (0..<180).map { (45..<135).contains($0) ? 235 : beneath })
    #expect(
      frame.row(90) == (0..<320).map { $0 < 60 ? beneath : (168..<270).contains($0) ? 100 : 235 })
  }

  @Test func `the edges of a rotated backdrop are softened only once`() throws {
    try write { _, _ in 120 }
    var layer = Self.layer(.blur(sigma: 6))
    layer.transform = Ramps([
      .step(
        at: .zero,
        value: Self.placed.concatenating(
          .turning(20, about: 160, 90, scale: 0.5)))
    ])
    layer.opacity = Ramps([.step(at: .zero, value: 0.5)])
    let frame = try frames(layer)[0]
    let beneath = Double(TransitionTests.bright.y)
    let inside = beneath + (120 - beneath) * 0.5
    #expect(frame.luma.allSatisfy { Double($0) >= inside - 1 && Double($0) <= beneath + 1 })
    #expect(abs(Double(frame.row(90)[160]) - inside) <= 1)
    #expect(abs(Double(frame.row(90)[100]) - inside) <= 1)
    #expect(frame.row(2)[2] == UInt8(beneath))
  }
}
