import CFFmpeg

extension AVChannelLayout {
  /// The assumed layout of a number of channels if the file does not state one. This is libav's default layout, except
  /// for three channels, which are left, right and center: libav would assume that the third has low frequencies, which
  /// are heard only in 5.1.
  static func assumed(channels: Int) -> AVChannelLayout {
    var layout = AVChannelLayout()
    if channels == 3 {
      // FL, FR and FC are libav's first three channels.
      av_channel_layout_from_mask(&layout, 0b111)
    } else {
      av_channel_layout_default(&layout, Int32(channels))
    }
    return layout
  }
}
