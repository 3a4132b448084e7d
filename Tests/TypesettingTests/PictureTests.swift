import Foundation
import Planning
import Support
import Testing
import Timeline

/// Shapes, colours, vector and pixel images become pictures of the size that is asked for.
struct PictureTests {
  private static let green = Colour(red: 0, green: 200, blue: 0)
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

  @Test func `an ellipse covers what an ellipse does`() throws {
    let layer = try TypesetLayer(
      .shape(ShapeContent(.ellipse, fill: Self.green)), bounds: Self.bounds)
    #expect(abs(layer.coverage - Double.pi * 50 * 30) < 8)
  }

  @Test func `a path is filled, and its line reaches beyond`() throws {
    let shape = ShapeContent(
      .path("M 10 10 H 50 V 50 H 10 Z"), fill: Self.green,
      stroke: ShapeStroke(colour: .black, width: 4))
    let layer = try TypesetLayer(.shape(shape), bounds: Self.bounds)
    #expect(layer.pixel(30, 30) == [0, 200, 0, 255])
    #expect(layer.pixel(10, 30) == [0, 0, 0, 255])
    #expect(layer.pixel(8, 30) == [0, 0, 0, 255])
    #expect(layer.pixel(6, 30)[3] == 0)
  }

  @Test func `a solid is one pixel stretched over its bounds`() throws {
    let layer = try TypesetLayer(.solid(Self.green), bounds: Self.bounds)
    let tile = try #require(layer.raster.tiles.first)
    #expect(tile.stream.size == PixelSize(width: 1, height: 1) && tile.area == Self.bounds)
    #expect(layer.count(of: Self.green) == 1)
  }

  @Test func `an SVG is drawn at the scale that it shows at`() throws {
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

  @Test(arguments: [
    #"<image href="http://example.org/a.png" width="4" height="4"/>"#,
    #"<image xlink:href='file:///etc/passwd' width="4" height="4"/>"#,
    ##"<rect fill="url(other.svg#a)" width="4" height="4"/>"##,
    ##"<rect style="fill: URL(other.svg#a)" width="4" height="4"/>"##,
    #"<style>@import "a.css";</style>"#,
  ])
  func `an SVG that refers to something outside it is refused`(element: String) throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a.svg"
    let text =
      #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="4" height="4">\#(element)</svg>"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let error = #expect(throws: ProjectError.self) {
      try TypesetLayer(.image(asset: "a"), files: ["a": file])
    }
    let finding = try #require(error?.findings.first)
    #expect(finding.path == "videoComposition.animation.layers[0].asset")
    #expect(finding.problem.hasPrefix("the SVG refers to something outside it: "))
  }

  @Test(arguments: [true, false])
  func `an SVG in UTF-16 that refers to something outside it is refused`(
    isBigEndian: Bool
  ) throws {
    let directory = try TemporaryDirectory()
    let file = "\(directory.path)/a.svg"
    let text =
      #"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="4"><image href="b.png"/></svg>"#
    let bytes = "\u{FEFF}\(text)".utf16.flatMap { unit -> [UInt8] in
      let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
      return isBigEndian ? [high, low] : [low, high]
    }
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    let error = #expect(throws: ProjectError.self) {
      try TypesetLayer(.image(asset: "a"), files: ["a": file])
    }
    #expect(error?.findings.first?.problem == "the SVG refers to something outside it: b.png")
  }

  @Test(arguments: ["text", "<svg", "\u{89}PNG\r\n\u{1a}\n"])
  func `an image that does not decode is refused`(text: String) throws {
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

  @Test func `a large image that shows small becomes small`() throws {
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
