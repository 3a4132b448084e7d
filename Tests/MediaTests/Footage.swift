import Foundation
import Media
import Support
import Timeline

/// Real footage, grouped by its difficulty.
enum Footage {
  static let video = [
    "ag_bbb_360p30_60s_aac.ts", "ax_av1_sample.mp4", "ax_bbb_1080p60_vp8_vorbis51.webm",
    "ax_bbb_avc_pyramid_3b_SAR.mp4", "ax_bbb_mpeg2.ts", "ax_bbb_vp9_642.webm", "ax_bt601.mov",
    "ax_hdr10_av1_720x1280.mp4", "ax_hlg10_hevc_1080p.mp4", "ax_sample_rot180.mp4",
    "ax_sample_with_ass.mkv", "ax_sowt_pcm_1080p50.mov", "ax_vp9_10bit_23976.webm",
    "fc_animation_argb.mov", "fc_dv_pal_interlaced.mov", "fc_hdv_1080i60.mov",
    "fc_photo-jpeg.mov", "fc_png_rgba.mov", "fc_prores422hq.mov", "fc_prores422proxy.mov",
    "fc_xdcam_ex_1080i50.mov", "intel_person_432p_10fps_139s.mp4", "mb_cursed-vfr.mp4",
    "mb_video-h265_1080p30.mp4", "mdn_flower_vp8_vorbis.webm", "mdn_stream-of-water_phone.mp4",
    "rails_rotated_-90.mp4", "rails_SAR3-2.mp4", "vmaf_park_joy_270p50.y4m",
  ]

  /// The index of a file.
  static func index(of path: String) throws -> MediaIndex {
    try MediaProber.index(of: FileByteSource(path: path), named: path)
  }

  /// The times of the first video stream's frames as `ffprobe` decodes them, in presentation order.
  static func decodedTimes(of path: String) throws -> [Int64] {
    let text = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-select_streams", "v:0", "-show_entries", "frame=best_effort_timestamp",
          "-of", "csv=p=0", path,
        ]), as: UTF8.self)
    return text.split(separator: "\n").compactMap { Int64($0.prefix { $0 == "-" || $0.isNumber }) }
  }

  /// The digests of a stream's first frames, decoded one after the other.
  static func digests(
    of source: any ByteSource, stream: VideoStream, count: Int
  ) throws -> [Int] {
    let demuxer = try Demuxer(source: source, named: "linear")
    let decoder = try VideoDecoder(demuxer.streams[stream.streamIndex], named: "linear")
    let packet = try Packet()
    var digests: [Int] = []
    while digests.count < count {
      switch try decoder.receive() {
      case .frame(let frame): digests.append(frame.digest)
      case .endOfStream: return digests
      case .needsInput:
        let result = try demuxer.read(into: packet)
        if result == .packet, packet.streamIndex != stream.streamIndex { continue }
        try decoder.send(result == .packet ? packet : nil)
      }
    }
    return digests
  }

  /// The digests of all frames of a stream in order, each decoded from the last keyframe before it.
  static func digestsFromKeyframes(of source: any ByteSource, stream: VideoStream) throws -> [Int] {
    let reader = try FrameReader(
      source: source, named: "keyframes", stream: stream, deinterlaces: false)
    var digests: [Int] = []
    var times = stream.frames.times[...]
    // After going back to an earlier keyframe, decoding cannot continue from the last position.
    for keyframe in stream.frames.starts.reversed() {
      let first = times.firstIndex { $0 >= keyframe.time } ?? times.endIndex
      digests = try times[first...].map { try digest(at: $0, by: reader) } + digests
      times = times[..<first]
    }
    return try times.map { try digest(at: $0, by: reader) } + digests
  }

  /// The digest of a frame; 0 if the frame cannot be read.
  private static func digest(at time: Int64, by reader: FrameReader) throws -> Int {
    do {
      return try reader.frame(at: time).digest
    } catch let error as MediaError where error.code == .frameMissing {
      return 0
    }
  }
}
