import CFFmpeg

extension Frame {
  /// Samples per channel of a run of audio; 0 for a picture.
  public var sampleCount: Int { Int(pointer.pointee.nb_samples) }
  /// Samples per second of a run of audio; 0 for a picture.
  public var sampleRate: Int { Int(pointer.pointee.sample_rate) }
  /// Channels of a run of audio; 0 for a picture.
  public var channels: Int { Int(pointer.pointee.ch_layout.nb_channels) }

  /// The layout of the channels, valid as long as the frame.
  var channelLayout: UnsafePointer<AVChannelLayout>? {
    UnsafeRawPointer(pointer)
      .advanced(by: MemoryLayout<AVFrame>.offset(of: \.ch_layout) ?? 0)
      .assumingMemoryBound(to: AVChannelLayout.self)
  }
}
