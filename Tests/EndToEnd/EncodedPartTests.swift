import Foundation
import Support
import Testing

/// The quality of parts that are encoded beside copied ones.
@Suite(.mayBlock) struct EncodedPartTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// Footage that starts with an encoded part, from its 13th frame to its next keyframe, and the mean quality in dB
  /// below which the part would look different from the footage.
  private static let footage: [(name: String, start: String, keyframe: Int, quality: Double)] = [
    ("cab_bamboo_540p30.mp4", "2/5", 30, 43),
    ("fl_butterfly_720p2997_h264_aac.mp4", "1001/2500", 90, 46.5),
  ]
  /// The quality in dB that every encoded frame has.
  private static let least = 42.0

  private func render(_ sequence: String) throws -> Rendered {
    try Rendered(
      project: """
        {"version": 1, "sequence": [\(sequence)],
         "export": {"preset": "passthrough", "fileType": "mp4"}}
        """, in: folder)
  }

  /// The PSNR in dB of each frame that a graph compares; infinite if the two are equal.
  ///
  /// - Parameter graph: compares the pictures of the file, `0`, with those of the clip, `1` and `2`, by `psnr=FILE`.
  private func quality(of file: Rendered, _ clip: String, _ graph: String) throws -> [Double] {
    let log = folder.path("psnr.log")
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-i", file.path, "-i", clip, "-i", clip, "-lavfi",
        graph.replacing("FILE", with: "stats_file=\(log)"), "-f", "null", "-",
      ])
    return try String(contentsOfFile: log, encoding: .utf8).matches(of: /psnr_avg:([0-9.inf]+)/)
      .compactMap { Double($0.1) }
  }

  @Test(.needsSharedMedia, arguments: footage)
  func `encoded parts look like the footage, in each frame`(
    name: String, start: String, keyframe: Int, quality: Double
  ) throws {
    let clip = SharedMedia.path(name)
    let file = try render(#"{"clip": "\#(clip)", "in": "\#(start)", "out": 4}"#)
    let encoded = "trim=end_frame=\(keyframe - 12),settb=1/25,setpts=N"
    let source = "trim=start_frame=12:end_frame=\(keyframe),settb=1/25,setpts=N"
    let found = try self.quality(
      of: file, clip, "[0:v]\(encoded)[a];[1:v]\(source)[b];[a][b]psnr=FILE")
    try #require(found.count == keyframe - 12)
    #expect(found.allSatisfy { $0 >= Self.least }, "\(found)")
    // The mean error of all frames, as PSNR.
    let error = found.reduce(0) { $0 + pow(10, -$1 / 10) } / Double(found.count)
    #expect(-10 * log10(error) > quality)
  }

  @Test(.needsSharedMedia) func `a dissolve looks like a lossless one, in each frame`() throws {
    let clip = SharedMedia.path("cab_bamboo_540p30.mp4")
    let file = try render(
      """
      {"clip": "\(clip)", "out": 3}, {"transition": "dissolve", "duration": 1},
      {"clip": "\(clip)", "in": 2, "out": 5}
      """)
    let found = try quality(
      of: file, clip,
      """
      [1:v]trim=end_frame=90,settb=1/30,setpts=N[x];
      [2:v]trim=start_frame=60:end_frame=150,settb=1/30,setpts=N[y];
      [x][y]xfade=transition=fade:duration=1:offset=2,settb=1/30,setpts=N[b];
      [0:v]settb=1/30,setpts=N[a];[a][b]psnr=FILE
      """)
    try #require(found.count == 150)
    #expect(found.allSatisfy { $0 >= Self.least }, "\(found)")
    // The frames around the dissolve are copied. xfade converts them, so that they are not quite the same.
    #expect((found[..<60] + found[90...]).allSatisfy { $0 > 55 })
  }
}
