import Foundation
import Support
import Testing
import Timeline

/// A dissolve of two frame-naming clips: every frame is the blend of exactly the two right frames.
@Suite(.mayBlock) struct DissolveTests {
  @Test(arguments: [(30, 1), (30000, 1001)] as [(Int64, Int64)])
  func `every frame of a dissolve blends the frames that the rule chooses`(
    rate: (Int64, Int64)
  ) throws {
    let folder = try TemporaryDirectory()
    let sources = try [
      NamedSource(1, frameCount: 60, rate: rate), NamedSource(2, frameCount: 60, rate: rate),
    ]
    for source in sources { try source.write(in: folder) }
    let file = try Rendered(
      [
        sources[0].file, sources[1].file, "--transition", "dissolve:1/2", "--crf", "12",
        "--encoder-preset", "veryfast",
      ], in: folder)

    let (width, height) = try FrameNameReader.size(of: file.path)
    let luma = try FrameNameReader.lumaOfFrames(in: file.path)
    let length = try RationalTime(60 * rate.1, rate.0)
    let start = try length - RationalTime(1, 2)
    let end = try start + length
    var frame = 0
    while true {
      let time = try RationalTime(Int64(frame) * rate.1, rate.0)
      guard time < end else { break }
      try #require(luma.count >= (frame + 1) * width * height, "frame \(frame) is missing")
      let opacity = time < start ? 1 : time < length ? 1 - (try time - start).seconds * 2 : 0
      let outgoing = sources[0].name(at: time).luma(width: width, height: height)
      let incoming = sources[1].name(at: try max(time - start, .zero))
        .luma(width: width, height: height)
      // The middle of each of the 8 × 4 blocks. `gray` scales 16…235 to 0…255.
      for block in 0..<32 {
        let x = (2 * (block % 8) + 1) * width / 16
        let y = (2 * (block / 8) + 1) * height / 8
        let limited =
          opacity * Double(outgoing[y * width + x]) + (1 - opacity)
          * Double(incoming[y * width + x])
        let expected = (limited - 16) * 255 / 219
        let shown = Double(luma[frame * width * height + y * width + x])
        #expect(
          abs(shown - expected) < 10,
          "frame \(frame), block \(block): \(shown) instead of \(expected)")
      }
      frame += 1
    }
    #expect(luma.count == frame * width * height, "frames in the file")
  }
}
