import Foundation
import Support
import Testing

extension Example {
  /// Checks that a file is intact, and has the example's length and content.
  func check(_ file: Rendered) throws {
    #expect(try file.videoPackets().count == frameCount)
    let (width, height) = try FrameNameReader.size(of: file.path)
    let numbers = frames.keys.sorted()
    // One pass over the file finds damage and picks the frames.
    let (samples, complaints) = try Tool.output(
      of: "ffmpeg",
      [
        "-v", "error", "-i", file.path, "-vf",
        "select=\(numbers.map { "eq(n\\,\($0))" }.joined(separator: "+"))", "-vsync", "passthrough",
        "-f", "rawvideo", "-pix_fmt", "yuv420p", "-",
      ])
    #expect(complaints == "")
    let size = width * height * 3 / 2
    try #require(samples.count == size * numbers.count, "frames of \(name)")
    for (place, frame) in numbers.enumerated() {
      let picture = Picture(
        width: width, height: height, samples: Array(samples[size * place..<size * (place + 1)]))
      for pixel in frames[frame] ?? [] {
        let shown = picture.color(x: pixel.x, y: pixel.y)
        // The encoder settings are lossy.
        let furthest = max(
          abs(shown.y - pixel.color.y), abs(shown.u - pixel.color.u),
          abs(shown.v - pixel.color.v))
        #expect(
          furthest <= 4,
          "\(name): frame \(frame) at (\(pixel.x), \(pixel.y)) shows \(shown), not \(pixel.color)")
      }
    }
  }
}

/// One decoded frame of a file.
private struct Picture {
  let width: Int
  let height: Int
  let samples: [UInt8]

  /// The samples at a position, given as fractions of the picture's width and height.
  func color(x: Double, y: Double) -> ExampleMedia.Color {
    let (column, row) = (Int(x * Double(width)), Int(y * Double(height)))
    let chroma = (row / 2) * (width / 2) + column / 2
    return ExampleMedia.Color(
      y: Int(samples[row * width + column]), u: Int(samples[width * height + chroma]),
      v: Int(samples[width * height * 5 / 4 + chroma]))
  }
}
