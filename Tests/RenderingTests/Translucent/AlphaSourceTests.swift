import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

/// Sources are composited with their alpha, within one code value of source-over in real numbers.
@Suite(.mayBlock) struct AlphaSourceTests {
  private let folder: TemporaryDirectory
  private static let size = PixelSize(width: 64, height: 48)
  private static let red = Color(red: 200, green: 30, blue: 60)
  private static let background: @Sendable (Int, Int) -> SIMD4<Double> = { _, _ in
    SIMD4(200 / 255, 30 / 255, 60 / 255, 1)
  }

  init() throws { folder = try TemporaryDirectory() }

  /// Noise of every color and alpha, in bytes; transparent pixels have strong colors.
  private static func noise(_ seed: UInt64, alpha: Bool = true) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    var bytes: [UInt8] = []
    for _ in 0..<size.width * size.height {
      bytes += (0..<3).map { _ in UInt8.random(in: 0...255, using: &random) }
      let choice = UInt8.random(in: 0...3, using: &random)
      bytes.append(
        !alpha || choice == 0 ? 255 : choice == 1 ? 0 : UInt8.random(in: 0...255, using: &random))
    }
    return bytes
  }

  private static func pixels(_ bytes: [UInt8]) -> (Int, Int) -> SIMD4<Double> {
    { x, y in
      guard (0..<size.width).contains(x), (0..<size.height).contains(y) else { return .zero }
      let start = (y * size.width + x) * 4
      return SIMD4((0..<4).map { Double(bytes[start + $0]) / 255 })
    }
  }

  /// Writes a picture, or a clip of three frames of it, in a form that keeps every byte.
  private func write(
    _ bytes: [UInt8], _ name: String, _ options: [String], as format: String = "rgba"
  ) throws -> String {
    let raw = folder.path("raw")
    try Data((0..<3).flatMap { _ in bytes }).write(to: URL(fileURLWithPath: raw))
    let path = folder.path(name)
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", format, "-r", "30", "-s",
        "\(Self.size.width)x\(Self.size.height)", "-i", raw,
      ] + options + [path])
    return path
  }

  private func frame(
    _ path: String, transform: AffineTransform = .identity, opacity: Double = 1
  ) throws -> DecodedFrame {
    var layer = TestScene.Layer(source: 0, frames: [0])
    if transform != .identity { layer.transform = Ramps([.step(at: .zero, value: transform)]) }
    if opacity != 1 { layer.opacity = Ramps([.step(at: .zero, value: opacity)]) }
    return try TestScene(
      paths: [path], size: Self.size, background: Self.red, layers: [layer]
    ).renderedFrames(in: folder)[0]
  }

  @Test(arguments: [
    ("a.png", ["-frames:v", "1"]),
    ("a.mov", ["-c:v", "qtrle", "-pix_fmt", "argb"]),
    ("b.mov", ["-c:v", "png", "-pix_fmt", "rgba"]),
  ])
  func `straight alpha is within one code value of source-over`(
    name: String, options: [String]
  ) throws {
    let bytes = Self.noise(1)
    let path = try write(bytes, name, options)
    let expected = SourceOver(
      width: Self.size.width, height: Self.size.height, background: Self.background,
      layer: Self.pixels(bytes))
    #expect(expected.error(of: try frame(path)) <= 1)
  }

  @Test func `pictures of 16 bits are composited with their alpha`() throws {
    let bytes = Self.noise(5)
    let path = try write(
      bytes.flatMap { [$0, $0] }, "deep.png", ["-frames:v", "1"], as: "rgba64be")
    #expect(try TestScene.source(path).stream.pixelFormat == "rgba64be")
    let expected = SourceOver(
      width: Self.size.width, height: Self.size.height, background: Self.background,
      layer: Self.pixels(bytes))
    #expect(expected.error(of: try frame(path)) <= 1)
  }

  @Test(arguments: [0.25, 0.5, 0.9])
  func `opacity multiplies alpha`(opacity: Double) throws {
    let bytes = Self.noise(2)
    let path = try write(bytes, "a.png", ["-frames:v", "1"])
    let expected = SourceOver(
      width: Self.size.width, height: Self.size.height, background: Self.background,
      layer: Self.pixels(bytes), opacity: opacity)
    #expect(expected.error(of: try frame(path, opacity: opacity)) <= 1)
  }

  @Test(arguments: [(1, 0), (0, 1), (3, 5), (-7, 2)])
  func `a shift by whole pixels, even or odd, moves every pixel`(x: Int, y: Int) throws {
    let bytes = Self.noise(3)
    let path = try write(bytes, "a.png", ["-frames:v", "1"])
    let pixels = Self.pixels(bytes)
    let expected = SourceOver(
      width: Self.size.width, height: Self.size.height, background: Self.background,
      layer: { pixels($0 - x, $1 - y) })
    let shift = AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: Double(x), ty: Double(y))
    #expect(expected.error(of: try frame(path, transform: shift)) <= 1)
  }

  @Test func `quarter turns move every pixel`() throws {
    let bytes = Self.noise(4)
    let path = try write(bytes, "a.png", ["-frames:v", "1"])
    let pixels = Self.pixels(bytes)
    // x' = 48 − y, y' = x.
    let expected = SourceOver(
      width: Self.size.width, height: Self.size.height, background: Self.background,
      layer: { x, y in x < 48 ? pixels(y, 47 - x) : .zero })
    let turn = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 48, ty: 0)
    #expect(expected.error(of: try frame(path, transform: turn)) <= 1)
  }

  /// A white disc whose transparent surroundings are black, with straight alpha, so a filter must not mix the colors.
  private static let disc: [UInt8] = (0..<size.height).flatMap { y in
    (0..<size.width).flatMap { x -> [UInt8] in
      let (dx, dy) = (Double(x) - 31.5, Double(y) - 23.5)
      let distance = (dx * dx + dy * dy).squareRoot()
      let alpha = UInt8((min(max(18.5 - distance, 0), 1) * 255).rounded())
      return alpha == 0 ? [0, 0, 0, 0] : [255, 255, 255, alpha]
    }
  }

  @Test(arguments: [
    AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 16, ty: 12),
    AffineTransform(a: 1.7, b: 0, c: 0, d: 1.7, tx: -22, ty: -17),
    AffineTransform(a: 0.8, b: 0.6, c: -0.6, d: 0.8, tx: 10, ty: -15),
    AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: 0.5, ty: 0.25),
  ])
  func `edges have neither dark nor light fringes`(transform: AffineTransform) throws {
    let path = try write(Self.disc, "a.png", ["-frames:v", "1"])
    let white = Color(red: 255, green: 255, blue: 255)
    var layer = TestScene.Layer(source: 0, frames: [0])
    layer.transform = Ramps([.step(at: .zero, value: transform)])
    let frame = try TestScene(
      paths: [path], size: Self.size, background: white, layers: [layer]
    ).renderedFrames(in: folder)[0]
    // White over white is white, whatever the alpha.
    #expect(frame.luma.allSatisfy { abs(Int($0) - 235) <= 1 })
    #expect(frame.cb.allSatisfy { $0 == 128 } && frame.cr.allSatisfy { $0 == 128 })
  }

  @Test func `a picture at half its size covers a quarter of the area`() throws {
    let path = try write(Self.disc, "a.png", ["-frames:v", "1"])
    let half = AffineTransform(a: 0.5, b: 0, c: 0, d: 0.5, tx: 16, ty: 12)
    var layer = TestScene.Layer(source: 0, frames: [0])
    layer.transform = Ramps([.step(at: .zero, value: half)])
    let frame = try TestScene(
      paths: [path], size: Self.size, background: .black, layers: [layer]
    ).renderedFrames(in: folder)[0]
    let covered = frame.luma.reduce(0.0) { $0 + (Double($1) - 16) / 219 }
    let whole = stride(from: 3, to: Self.disc.count, by: 4).reduce(0.0) {
      $0 + Double(Self.disc[$1]) / 255
    }
    #expect(abs(covered - whole / 4) < whole / 4 * 0.01)
  }

  @Test func `ProRes 4444 is composited with its alpha`() throws {
    // The left half is opaque green, the right half transparent.
    let bytes = (0..<Self.size.height).flatMap { _ in
      (0..<Self.size.width).flatMap { $0 < 32 ? [0, 200, 0, 255] : [255, 255, 255, 0] as [UInt8] }
    }
    let path = try write(
      bytes, "a.mov", ["-c:v", "prores_ks", "-profile:v", "4444", "-pix_fmt", "yuva444p10le"])
    let frame = try frame(path)
    let below = PlanarColor<UInt8>(Self.red, in: .standard(size: Self.size))
    let above = PlanarColor<UInt8>(
      Color(red: 0, green: 200, blue: 0), in: .standard(size: Self.size))
    #expect(abs(Int(frame.row(20)[10]) - Int(above.luma)) <= 2)
    #expect(abs(Int(frame.row(20)[50]) - Int(below.luma)) <= 1)
  }

  @Test func `VP9 in WebM is composited with its alpha`() throws {
    let bytes = (0..<Self.size.height).flatMap { _ in
      (0..<Self.size.width).flatMap { $0 < 32 ? [0, 200, 0, 255] : [0, 200, 0, 0] as [UInt8] }
    }
    let path = try write(
      bytes, "a.webm",
      ["-c:v", "libvpx-vp9", "-pix_fmt", "yuva420p", "-lossless", "1", "-auto-alt-ref", "0"])
    let source = try TestScene.source(path)
    #expect(source.stream.pixelFormat == "yuva420p")
    let frame = try frame(path)
    let below = PlanarColor<UInt8>(Self.red, in: .standard(size: Self.size))
    let above = PlanarColor<UInt8>(
      Color(red: 0, green: 200, blue: 0), in: .standard(size: Self.size))
    #expect(abs(Int(frame.row(20)[10]) - Int(above.luma)) <= 2)
    #expect(abs(Int(frame.row(20)[50]) - Int(below.luma)) <= 1)
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      "fc_png_rgba.mov", "fc_animation_argb.mov", "kde_alpha_reference.mov",
      "mpy_transparent_vp9_alpha.webm",
    ])
  func `real footage lets the background through according to its alpha`(name: String) throws {
    let path = SharedMedia.path(name)
    let source = try TestScene.source(path)
    #expect(PixelFormat.named(source.stream.pixelFormat)?.hasAlpha == true)
    let size = PixelSize(
      width: source.stream.size.width & ~1, height: source.stream.size.height & ~1)
    func rendered(_ color: Color) throws -> DecodedFrame {
      try TestScene(
        paths: [path], size: size, background: color,
        layers: [TestScene.Layer(source: 0, frames: [0])]
      ).renderedFrames(in: folder)[0]
    }
    let (dark, light) = (
      try rendered(.black), try rendered(Color(red: 255, green: 255, blue: 255))
    )
    let rises = zip(dark.luma, light.luma).map { Int($1) - Int($0) }
    #expect(rises.allSatisfy { (-1...220).contains($0) })
    // Two of them are opaque in every pixel.
    let isOpaque = name.hasPrefix("fc_")
    #expect(rises.contains { $0 > 200 } == !isOpaque)
  }
}
