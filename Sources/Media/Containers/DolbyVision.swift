import CFFmpeg

/// A stream's Dolby Vision configuration in the container (`dvcC`, `dvvC` and `dvwC`: Dolby Vision Streams Within the
/// ISO Base Media File Format, 3.2).
struct DolbyVision: Hashable {
  /// The profile.
  let profile: Int
  /// The format that the base layer is compatible with: 0 is none, 1 HDR10, 2 BT.709, 4 HLG, 6 Ultra HD Blu-ray.
  let compatibility: Int
  /// Whether the stream has the base layer.
  let hasBase: Bool

  /// Reads the configuration of a stream. Returns `nil` if it has none.
  init?(of stream: UnsafeMutablePointer<AVStream>) {
    var size = 0
    guard let data = av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, &size),
      size >= MemoryLayout<AVDOVIDecoderConfigurationRecord>.size
    else { return nil }
    let record = UnsafeRawPointer(data)
      .loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self)
    profile = Int(record.dv_profile)
    compatibility = Int(record.dv_bl_signal_compatibility_id)
    hasBase = record.bl_present_flag != 0
  }

  /// Whether the pictures match their colour tags without Dolby Vision's enhancement.
  var hasCompatibleBase: Bool {
    // The base layers of profiles 4, 7 and 9 always match; that of 5 never does.
    hasBase && profile != 5 && (compatibility != 0 || [4, 7, 9].contains(profile))
  }

  /// The reason why a stream cannot be shown; `nil` if it has a compatible base layer.
  var refusal: String? {
    guard !hasCompatibleBase else { return nil }
    return hasBase
      ? "has Dolby Vision profile \(profile), whose colors only a Dolby Vision decoder can show correctly"
      : "is an enhancement layer of Dolby Vision profile \(profile)"
  }
}
