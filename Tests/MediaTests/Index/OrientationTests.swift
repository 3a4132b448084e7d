import Foundation
import Media
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct OrientationTests {
  @Test(
    .needsSharedMedia,
    arguments: [
      ("rails_rotated_-90.mp4", 1), ("ax_sample_rot180.mp4", 2), ("rails_SAR3-2.mp4", 0),
    ])
  func `a display matrix becomes clockwise quarter turns`(name: String, turns: Int) throws {
    let stream = try Footage.index(of: SharedMedia.path(name)).video[0]
    #expect(stream.orientation == Orientation(quarterTurns: turns, isMirrored: false))
  }

  @Test(
    .needsSharedMedia,
    arguments: [
      ("rails_SAR3-2.mp4", "3/2"), ("ax_bbb_avc_pyramid_3b_SAR.mp4", "64/45"),
      ("fc_dv_pal_interlaced.mov", "59/54"), ("mb_SAR2-1.mp4", "2"), ("mb_cursed-vfr.mp4", "1"),
    ])
  func `the pixel aspect ratio is read`(name: String, ratio: String) throws {
    let stream = try Footage.index(of: SharedMedia.path(name)).video[0]
    #expect(try stream.pixelAspectRatio == RationalTime(ratio))
  }

  @Test(arguments: ["png", "jpg", "webp", "bmp", "tiff"])
  func `a still image has one frame and no duration`(kind: String) throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("still.\(kind)")
    try Tool.run(
      "ffmpeg",
      ["-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x48", "-frames:v", "1", path])
    let index = try Footage.index(of: path)
    #expect(index.isStillImage)
    #expect(index.duration == .zero)
    #expect(index.video.map(\.frames.times) == [[0]])
    let reader = try FrameReader(
      source: FileByteSource(path: path), named: path, stream: index.video[0])
    #expect(try reader.frame(at: 0).width == 64)
    #expect(try reader.frame(at: 0).width == 64)
  }
}
