import Foundation
import Support
import Testing

/// Every pixel of every frame of a transition between two solid colors, in a lossless file.
@Suite(.mayBlock) struct TransitionPixelTests {
  static let width = 320
  static let height = 180
  static let outgoing = [200, 90, 160]
  static let incoming = [40, 170, 70]

  /// The planes of the 45 4:2:0 frames of two clips of 30 frames that overlap by half a second.
  static func frames(_ transition: String) throws -> [[[UInt8]]] {
    let folder = try TemporaryDirectory()
    for (name, color) in [("a", outgoing), ("b", incoming)] {
      try SolidClip(
        color: (color[0], color[1], color[2]), frameCount: 30, width: width, height: height
      ).write(to: folder.path("\(name).mp4"))
    }
    let file = try Rendered(
      [
        "a.mp4", "b.mp4", "--transition", transition, "--crf", "0", "--encoder-preset", "ultrafast",
      ], in: folder)
    let bytes = [UInt8](
      try Tool.run(
        "ffmpeg", ["-v", "error", "-i", file.path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]))
    let luma = width * height
    return stride(from: 0, to: bytes.count, by: luma * 3 / 2).map { start in
      [
        Array(bytes[start..<start + luma]),
        Array(bytes[start + luma..<start + luma * 5 / 4]),
        Array(bytes[start + luma * 5 / 4..<start + luma * 3 / 2]),
      ]
    }
  }

  @Test func `each pixel of a dissolve is within one code value of the blend`() throws {
    let frames = try Self.frames("dissolve:1/2")
    try #require(frames.count == 45)
    for (number, frame) in frames.enumerated() {
      let opacity = min(1, max(0, 1 - Double(number - 15) / 15))
      for plane in 0..<3 {
        let expected =
          opacity * Double(Self.outgoing[plane]) + (1 - opacity) * Double(Self.incoming[plane])
        let furthest = frame[plane].map { abs(Double($0) - expected) }.max() ?? .infinity
        #expect(furthest <= 1, "frame \(number), plane \(plane): off by \(furthest)")
      }
    }
  }

  @Test(
    arguments: ["push", "wipe"], ["left", "right", "up", "down"])
  func `the edge of a push and of a wipe is on the exact pixel of each frame`(
    kind: String, direction: String
  ) throws {
    let frames = try Self.frames("\(kind):1/2:\(direction)")
    try #require(frames.count == 45)
    let isHorizontal = direction == "left" || direction == "right"
    let length = isHorizontal ? Self.width : Self.height
    for (number, frame) in frames.enumerated() {
      let progress = min(1, max(0, Double(number - 15) / 15))
      // The number of columns or rows that show the incoming clip: those whose center the edge has passed.
      let shown = (0..<length).count { Double($0) + 0.5 < progress * Double(length) }
      var wrong = 0
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          let along = isHorizontal ? x : y
          // If the edge moves left or up, the incoming clip starts at the far end.
          let isIncoming =
            direction == "left" || direction == "up"
            ? along >= length - shown : along < shown
          let expected = (isIncoming ? Self.incoming : Self.outgoing)[0]
          if abs(Int(frame[0][y * Self.width + x]) - expected) > 1 { wrong += 1 }
        }
      }
      #expect(wrong == 0, "frame \(number): \(wrong) pixels on the wrong side of the edge")
    }
  }
}
