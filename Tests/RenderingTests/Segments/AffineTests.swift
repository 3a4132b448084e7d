import Planning
import Rendering
import Support
import Testing
import Timeline

import struct Foundation.Data
import struct Foundation.URL

/// Rotations, shears and scales, from the decoded source to the decoded chunk.
@Suite(.mayBlock) struct AffineTests {
  private let folder: TemporaryDirectory
  private let clip: String
  static let size = PixelSize(width: 160, height: 90)
  static let black = PlanarColor<UInt8>(luma: 16, cb: 128, cr: 128)

  init() throws {
    folder = try TemporaryDirectory()
    clip = folder.path("clip.mp4")
  }

  /// Writes a clip of eight frames that all show `picture`, losslessly.
  private func write(_ picture: TestPicture) throws {
    let bytes = picture.planes.flatMap { TestPicture.samples($0).flatMap(\.self) }
    let raw = folder.path("clip.yuv")
    try Data((0..<8).flatMap { _ in bytes }).write(to: URL(fileURLWithPath: raw))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-r", "30", "-s",
        "\(picture.width)x\(picture.height)", "-i", raw, "-c:v", "libx264", "-preset", "ultrafast",
        "-qp", "0", "-bitexact", clip,
      ])
  }

  private func frames(
    _ count: Int, _ transform: Ramps<AffineTransform>, below: Ramps<AffineTransform>? = nil
  ) throws -> [DecodedFrame] {
    var layers = [TestScene.Layer(source: 0, frames: Array(0..<count), transform: transform)]
    if let below { layers.append(.init(source: 0, frames: Array(0..<count), transform: below)) }
    return try TestScene(paths: [clip], size: Self.size, layers: layers)
      .renderedFrames(in: folder)
  }

  private static func expectEqual(
    _ frame: DecodedFrame, _ transform: AffineTransform, of source: PixelSize, _ label: String
  ) {
    let expected = AffineReference(
      transform: transform,
      shown: PixelRect(x: 0, y: 0, width: Double(source.width), height: Double(source.height))
    ).planes(width: size.width, height: size.height, over: black)
    for (number, (plane, wanted)) in zip([frame.luma, frame.cb, frame.cr], expected).enumerated() {
      let ratio = AffineReference.ratio([plane], [wanted.flatMap(\.self)])
      #expect(ratio >= 50, "\(label), plane \(number)")
    }
  }

  @Test func `every frame of a ramp of rotation is within 50 dB of the reference`() throws {
    try write(AffineReference.picture(width: 160, height: 90))
    let (from, to) = (
      AffineTransform.turning(-25, about: 80, 45), AffineTransform.turning(40, about: 80, 45)
    )
    let rendered = try frames(
      6, Ramps([.ramp(timeRange: try .frames(0, count: 6), from: from, to: to)]))
    #expect(rendered.count == 6)
    for (number, frame) in rendered.enumerated() {
      let transform = from.interpolated(to: to, fraction: Double(number) / 6)
      Self.expectEqual(frame, transform, of: Self.size, "frame \(number)")
    }
  }

  @Test(arguments: [0.7, 0.5, 0.31])
  func `a rotated and reduced picture is within 50 dB of the reference`(scale: Double)
    throws
  {
    let source = PixelSize(width: 400, height: 220)
    try write(AffineReference.picture(width: source.width, height: source.height))
    let transform = AffineTransform.turning(33, about: 200, 110, scale: scale)
      .concatenating(AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -120, ty: -65))
    let rendered = try frames(1, Ramps([.step(at: .zero, value: transform)]))
    Self.expectEqual(rendered[0], transform, of: source, "scale \(scale)")
  }

  @Test func `a pattern too fine for the output becomes its mean`() throws {
    let stripes = TestPicture(width: 640, height: 360, color: CompositorTests.gray)
    for y in 0..<360 {
      for x in 0..<640 { stripes.picture.luma.row(y)[x] = x % 2 == 0 ? 60 : 180 }
    }
    try write(stripes)
    for degrees in [0.0, 20, 45] {
      let transform = AffineTransform.turning(degrees, about: 320, 180, scale: 0.5)
        .concatenating(AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -240, ty: -135))
      let rendered = try frames(1, Ramps([.step(at: .zero, value: transform)]))
      let limit = degrees == 0 ? 1 : 6.0
      for y in 20..<70 {
        #expect(
          rendered[0].row(y)[30..<130].allSatisfy { abs(Double($0) - 120) <= limit },
          "\(degrees) degrees, row \(y): \(rendered[0].row(y)[30..<130])")
      }
    }
  }

  @Test func `the identity in the middle of a ramp is bit-exact`() throws {
    let picture = TestPicture(width: 160, height: 90, seed: 6)
    try write(picture)
    let shear = AffineTransform(a: 1, b: 0, c: 0.25, d: 1, tx: 0, ty: 0)
    let back = AffineTransform(a: 1, b: 0, c: -0.25, d: 1, tx: 0, ty: 0)
    let rendered = try frames(
      4, Ramps([.ramp(timeRange: try .frames(0, count: 4), from: shear, to: back)]))
    #expect(rendered[2].luma == TestPicture.samples(picture.picture.luma).flatMap(\.self))
    #expect(rendered[2].cb == TestPicture.samples(picture.picture.cb).flatMap(\.self))
    #expect(rendered[1] != rendered[2])
  }

  @Test func `a rotated still layer lies over a moving one`() throws {
    try write(TestPicture(width: 160, height: 90, color: CompositorTests.red))
    let turned = AffineTransform.turning(45, about: 80, 45, scale: 0.25)
    let rendered = try frames(
      3, Ramps([.step(at: .zero, value: turned)]),
      below: Ramps([
        .ramp(
          timeRange: try .frames(0, count: 3),
          from: AffineTransform(a: 1, b: 0, c: 0, d: 1, tx: -80, ty: 0), to: .identity)
      ]))
    let red = CompositorTests.red
    for (number, frame) in rendered.enumerated() {
      let edge = [80, 107, 133][number]
      let row = frame.row(45)
      #expect(row[..<edge].allSatisfy { $0 == red.luma }, "frame \(number)")
      let right = max(edge + 1, 108)
      #expect(row[right...].allSatisfy { $0 == Self.black.luma }, "frame \(number)")
      #expect(row[70..<90].allSatisfy { $0 == red.luma }, "frame \(number)")
    }
  }

  @Test func `the same description gives the same bytes`() throws {
    try write(TestPicture(width: 160, height: 90, seed: 12))
    let ramp = Ramps([
      .ramp(
        timeRange: try .frames(0, count: 5), from: AffineTransform.turning(3, about: 80, 45),
        to: AffineTransform.turning(70, about: 20, 45, scale: 0.3))
    ])
    #expect(try frames(5, ramp) == frames(5, ramp))
  }
}
