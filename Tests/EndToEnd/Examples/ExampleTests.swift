import Foundation
import Support
import Testing

/// The projects in `examples/`, rendered unchanged.
@Suite(.mayBlock) struct ExampleTests {
  @Test func `every example is rendered by a test`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Example.folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    #expect(Example.all.map(\.name).sorted() == names)
  }

  @Test(arguments: Example.all)
  func `an example gives a file of the right length and content`(example: Example) throws {
    let work = try TemporaryDirectory()
    try ExampleMedia.write(namedIn: try example.text, to: work)
    let file = try example.rendered(in: work)
    #expect(try file.complaints() == "")
    #expect(try file.videoPackets().count == example.frameCount)
    for (frame, pixels) in example.frames {
      let picture = try Picture(frame: frame, of: file.path)
      for pixel in pixels {
        let shown = picture.color(x: pixel.x, y: pixel.y)
        // The example's own encoder settings are lossy.
        let furthest = max(
          abs(shown.y - pixel.color.y), abs(shown.u - pixel.color.u),
          abs(shown.v - pixel.color.v))
        #expect(
          furthest <= 4,
          "frame \(frame) at (\(pixel.x), \(pixel.y)) shows \(shown), not \(pixel.color)")
      }
    }
  }
}

/// One decoded frame of a file.
private struct Picture {
  private let width: Int
  private let height: Int
  private let samples: [UInt8]

  init(frame: Int, of path: String) throws {
    (width, height) = try FrameNameReader.size(of: path)
    samples = [UInt8](
      try Tool.run(
        "ffmpeg",
        [
          "-v", "error", "-i", path, "-vf", "select=eq(n\\,\(frame))", "-frames:v", "1",
          "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
        ]))
    try #require(samples.count == width * height * 3 / 2, "frame \(frame) of \(path)")
  }

  /// The samples at a position, given as fractions of the picture's width and height.
  func color(x: Double, y: Double) -> ExampleMedia.Color {
    let (column, row) = (Int(x * Double(width)), Int(y * Double(height)))
    let chroma = (row / 2) * (width / 2) + column / 2
    return ExampleMedia.Color(
      y: Int(samples[row * width + column]), u: Int(samples[width * height + chroma]),
      v: Int(samples[width * height * 5 / 4 + chroma]))
  }
}
