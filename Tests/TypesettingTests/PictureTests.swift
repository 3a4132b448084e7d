import Foundation
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Shapes, colors, vector images and pixel images become pictures of the requested size.
@Suite(.mayBlock) struct PictureTests {
  @Test(arguments: [MotionDirection.down, .up, .right, .left])
  func `a gradient runs from edge to edge`(direction: MotionDirection) throws {
    let gradient = ShapeGradient(
      direction: direction,
      stops: [
        ShapeGradient.Stop(color: .black, opacity: 0, place: 0),
        ShapeGradient.Stop(color: .black, opacity: 1, place: 1),
      ])
    let layer = try TypesetLayer(
      .shape(ShapeContent(.rectangle(cornerRadius: 0), fill: nil, gradient: gradient)),
      bounds: PixelRect(x: 0, y: 0, width: 101, height: 101))
    let (start, end) =
      switch direction {
      case .down: (layer.pixel(50, 0), layer.pixel(50, 100))
      case .up: (layer.pixel(50, 100), layer.pixel(50, 0))
      case .right: (layer.pixel(0, 50), layer.pixel(100, 50))
      case .left: (layer.pixel(100, 50), layer.pixel(0, 50))
      }
    #expect(start[3] <= 3 && end[3] >= 252)
    #expect(abs(Int(layer.pixel(50, 50)[3]) - 128) <= 2)
  }

  private static let green = Color(red: 0, green: 200, blue: 0)
  private static let bounds = PixelRect(x: 0, y: 0, width: 100, height: 60)

  @Test func `a rectangle fills its bounds and rounds its corners`() throws {
    let shape = ShapeContent(.rectangle(cornerRadius: 20), fill: Self.green)
    let layer = try TypesetLayer(.shape(shape), bounds: Self.bounds)
    #expect(layer.pixel(50, 30) == [0, 200, 0, 255])
    #expect(layer.pixel(0, 30) == [0, 200, 0, 255])
    #expect(layer.pixel(0, 0)[3] == 0)
    let area = 6000 - (4 - Double.pi) * 400
    #expect(abs(layer.coverage - area) < 6)
  }

  @Test func `an ellipse covers the area of an ellipse`() throws {
    let layer = try TypesetLayer(
      .shape(ShapeContent(.ellipse, fill: Self.green)), bounds: Self.bounds)
    #expect(abs(layer.coverage - Double.pi * 50 * 30) < 8)
  }

  @Test func `a path is filled, and its stroke extends beyond it`() throws {
    let shape = ShapeContent(
      .path("M 10 10 H 50 V 50 H 10 Z"), fill: Self.green,
      stroke: ShapeStroke(color: .black, width: 4))
    let layer = try TypesetLayer(.shape(shape), bounds: Self.bounds)
    #expect(layer.pixel(30, 30) == [0, 200, 0, 255])
    #expect(layer.pixel(10, 30) == [0, 0, 0, 255])
    #expect(layer.pixel(8, 30) == [0, 0, 0, 255])
    #expect(layer.pixel(6, 30)[3] == 0)
  }

  @Test func `a path is drawn completely, with its corners, even outside its bounds`() throws {
    // The miter limit is 10, so the stroke's corners are complete: at (−43, 7) and (152, 7), for example.
    let shape = ShapeContent(
      .path("M -40 10 H 150 V 90 H -40 Z"), fill: Self.green,
      stroke: ShapeStroke(color: .black, width: 6))
    let layer = try TypesetLayer(.shape(shape), bounds: Self.bounds)
    #expect(layer.raster.bounds == Self.bounds)
    #expect([(-30, 50), (145, 85)].allSatisfy { layer.pixel($0.0, $0.1) == [0, 200, 0, 255] })
    #expect(
      [(-43, 7), (152, 92), (152, 7)].allSatisfy { layer.pixel($0.0, $0.1) == [0, 0, 0, 255] })
    #expect([(-44, 7), (153, 92)].allSatisfy { layer.pixel($0.0, $0.1)[3] == 0 })
    #expect(abs(layer.coverage - 196 * 86) < 1)
  }

  @Test func `a path's sharp corner is as long as Core Animation's`() throws {
    // Where sides of 3 : 40 meet, the miter is 40.1/3 times as long as half the stroke's width. That exceeds the limit of
    // 10, so it is cut. At 5 : 40 it is 8 times as long, and is drawn.
    func top(_ half: Double) throws -> Int {
      let shape = ShapeContent(
        .path("M \(50 - half) 90 L 50 50 L \(50 + half) 90"), fill: nil,
        stroke: ShapeStroke(color: .black, width: 4))
      let layer = try TypesetLayer(.shape(shape), bounds: Self.bounds)
      return (0..<60).first { layer.pixel(49, $0)[3] > 0 || layer.pixel(50, $0)[3] > 0 } ?? 60
    }
    #expect(try (33...36).contains(top(5)))
    #expect(try top(3) >= 47)
  }

  @Test func `a solid is one pixel stretched over its bounds`() throws {
    let layer = try TypesetLayer(.solid(Self.green), bounds: Self.bounds)
    let tile = try #require(layer.raster.tiles.first)
    #expect(tile.stream.size == PixelSize(width: 1, height: 1) && tile.area == Self.bounds)
    #expect(layer.count(of: Self.green) == 1)
  }

  @Test func `an SVG is drawn at the scale at which it is shown`() throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a.svg"
    try Data(
      ##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="20" height="20" fill="#00c800"/></svg>"##
        .utf8
    ).write(to: URL(fileURLWithPath: file))
    let layer = try TypesetLayer(.image(asset: "a"), scale: 3, files: ["a": file])
    let tile = try #require(layer.raster.tiles.first)
    #expect(tile.stream.size == PixelSize(width: 120, height: 60))
    #expect(layer.raster.bounds == PixelRect(x: 0, y: 0, width: 40, height: 20))
    #expect(layer.count(of: Self.green) == 3600)
  }

  @Test(arguments: ["text", "<svg", "\u{89}PNG\r\n\u{1a}\n"])
  func `an image that cannot be decoded is rejected`(text: String) throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a"
    try Data(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
      .write(to: URL(fileURLWithPath: file))
    let error = #expect(throws: ProjectError.self) {
      try TypesetLayer(.image(asset: "a"), files: ["a": file])
    }
    #expect(error?.findings.first?.path == "videoComposition.animation.layers[0].asset")
  }

  @Test func `a PNG keeps its pixels and its alpha`() throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a.png"
    try Tool.run(
      "ffmpeg",
      ["-v", "error"] + [
        "-f", "lavfi", "-i", "color=c=0x0000ff@0.5:s=32x16,format=rgba", "-frames:v", "1", file,
      ])
    let layer = try TypesetLayer(.image(asset: "a"), files: ["a": file])
    let pixel = layer.pixel(5, 5)
    #expect(pixel[2] == 255 && abs(Int(pixel[3]) - 128) <= 1)
    #expect(layer.raster.bounds == PixelRect(x: 0, y: 0, width: 32, height: 16))
  }

  @Test(arguments: [
    (ContentsGravity.resize, PixelRect(x: 0, y: 0, width: 100, height: 60)),
    (.resizeAspect, PixelRect(x: 0, y: 5, width: 100, height: 50)),
    (.resizeAspectFill, PixelRect(x: -10, y: 0, width: 120, height: 60)),
    (.center, PixelRect(x: 34, y: 22, width: 32, height: 16)),
    (.bottomRight, PixelRect(x: 68, y: 44, width: 32, height: 16)),
  ])
  func `an image is placed in its bounds according to its gravity`(
    gravity: ContentsGravity, area: PixelRect
  ) throws {
    let directory = try TemporaryDirectory()
    let (pixels, vector) = (directory.path("a.png"), directory.path("a.svg"))
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "color=red:s=32x16", "-frames:v", "1", pixels])
    try
      #"<svg xmlns="http://www.w3.org/2000/svg" width="32" height="16"><rect width="32" height="16"/></svg>"#
      .write(toFile: vector, atomically: false, encoding: .utf8)
    for file in [pixels, vector] {
      let layer = try TypesetLayer(
        .image(asset: "a"), bounds: Self.bounds, files: ["a": file], gravity: gravity)
      #expect(layer.raster.bounds == area && layer.raster.tiles.map(\.area) == [area])
    }
  }

  @Test func `a large image that is shown small is reduced`() throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a.jpg"
    try Tool.run(
      "ffmpeg",
      ["-v", "error"] + [
        "-f", "lavfi", "-i", "color=c=0x00c800:s=640x480", "-frames:v", "1", file,
      ])
    let layer = try TypesetLayer(.image(asset: "a"), scale: 0.25, files: ["a": file])
    let tile = try #require(layer.raster.tiles.first)
    #expect(tile.stream.size == PixelSize(width: 160, height: 120))
    #expect(layer.raster.bounds == PixelRect(x: 0, y: 0, width: 640, height: 480))
  }
}
