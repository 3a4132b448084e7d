import Foundation
import Support
import Testing

/// The quality of parts that are encoded beside copied ones.
@Suite(.mayBlock) struct EncodedPartTests {
  /// Footage that starts with an encoded part, from its 13th frame to its next keyframe, and the quality in dB below
  /// which the part would look different from the footage.
  private static let footage: [(name: String, start: String, keyframe: Int, quality: Double)] = [
    ("cab_bamboo_540p30.mp4", "2/5", 30, 39),
    ("fl_butterfly_720p2997_h264_aac.mp4", "1001/2500", 90, 46.5),
  ]

  @Test(.needsSharedMedia, arguments: footage)
  func `the rate limit does not reduce the quality of encoded parts next to copied footage`(
    name: String, start: String, keyframe: Int, quality: Double
  ) throws {
    let folder = try TemporaryDirectory()
    let clip = SharedMedia.path(name)
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [{"clip": "\(clip)", "in": "\(start)", "out": 4}],
         "export": {"preset": "passthrough", "fileType": "mp4"}}
        """, in: folder)
    let encoded = "trim=end_frame=\(keyframe - 12),setpts=PTS-STARTPTS"
    let source = "trim=start_frame=12:end_frame=\(keyframe),setpts=PTS-STARTPTS"
    let graph = "[0:v]\(encoded)[a];[1:v]\(source)[b];[a][b]psnr"
    let said = try Tool.output(
      of: "ffmpeg", ["-i", file.path, "-i", clip, "-lavfi", graph, "-f", "null", "-"]
    ).standardError
    let found = try #require(said.firstMatch(of: /PSNR .*average:([0-9.]+)/))
    #expect(try #require(Double(found.1)) > quality)
  }
}
