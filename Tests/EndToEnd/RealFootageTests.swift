import Foundation
import Support
import Testing

/// Sequences of footage from other sources.
@Suite(.mayBlock) struct RealFootageTests {
  @Test(.needsSharedMedia)
  func `five clips of different sizes, rates, codecs and orientation render`() throws {
    let folder = try TemporaryDirectory()
    // 720p H.264 at 29.97, VP8 in WebM, a clip rotated by 90° with a late start, 10-bit VP9, an MPEG-2 transport stream.
    let clips = [
      ("fl_bee_720p2997_h264_aac.mp4", 3), ("mdn_flower_vp8_vorbis.webm", 3),
      ("rails_rotated_-90.mp4", 3), ("ax_vp9_10bit_23976.webm", 2), ("ax_bbb_mpeg2.ts", 2),
    ]
    let sequence = clips.map { "{\"clip\": \"\(SharedMedia.path($0.0))\", \"out\": \($0.1)}" }
      .joined(separator: ", {\"transition\": \"dissolve\", \"duration\": \"1/2\"}, ")
    let file = try Rendered(
      project: """
        {"version": 1, "sequence": [\(sequence)],
         "export": {"preset": "960x540", "video": {"codec": "h264", "crf": 23, "encoderPreset": "ultrafast"}}}
        """, in: folder)
    #expect(try file.complaints() == "")
    // 13 s, minus four half seconds, minus the 0.203 s and 0.011 s before the first frames of the rotated clip and of the
    // transport stream, at the fastest clip's rate, 30000/1001.
    #expect(try file.videoPackets().count == 324)
    let entries = try file.ffprobe([
      "-select_streams", "v:0", "-show_entries", "stream=width,height,r_frame_rate", "-of",
      "csv=p=0",
    ])
    #expect(entries == "960,540,30000/1001")
  }
}
