import CFFmpeg

extension AVChannelLayout {
  /// The layout that channels are taken to have if the file does not say: libav's usual one of their count, but left, right
  /// and centre for three, of which libav would take the third for low frequencies, heard in 5.1 alone.
  static func assumed(channels: Int) -> AVChannelLayout {
    var layout = AVChannelLayout()
    if channels == 3 {
      // FL, FR and FC are the first three of libav's channels.
      av_channel_layout_from_mask(&layout, 0b111)
    } else {
      av_channel_layout_default(&layout, Int32(channels))
    }
    return layout
  }
}
