import Timeline

extension SegmentDescription {
  /// The approximate number of pixels that are decoded in the time of encoding one, for H.264 at x264's preset medium.
  private static let decodedPixelsPerEncodedPixel: Int64 = 8

  /// The approximate number of pixels that are copied in the time of decoding one.
  private static let copiedPixelsPerDecodedPixel: Int64 = 50

  /// An estimate of the work, in units of one decoded pixel, for leasing the longest segment first.
  public var expectedCost: Int64 {
    if copy != nil {
      return Int64(frameCount) * Int64(renderSize.width) * Int64(renderSize.height)
        / Self.copiedPixelsPerDecodedPixel
    }
    let encoded = Int64(frameCount) * Int64(renderSize.width) * Int64(renderSize.height)
    let decoded = sources.reduce(Int64(0)) { cost, source in
      let pixels = Int64(source.stream.size.width) * Int64(source.stream.size.height)
      return cost + source.stream.frames.decodedFrames * pixels
    }
    return encoded * Self.decodedPixelsPerEncodedPixel + decoded
  }
}

extension FrameTable {
  /// A limit above the number of frames between two keyframes of any sane file.
  private static let longestLead: Int64 = 100_000

  /// The approximate number of frames that are decoded to show these, including those from the preceding keyframe.
  fileprivate var decodedFrames: Int64 {
    guard let first = times.first, let last = times.last,
      let keyframe = keyframe(atOrBefore: first)
    else { return 0 }
    let count = Int64(times.count)
    guard count > 1, last > first, first > keyframe.time else { return count }
    // A file may claim times as far apart as 64 bits allow.
    let lead = Int128(first) - Int128(keyframe.time)
    let before = lead * Int128(count - 1) / (Int128(last) - Int128(first))
    return count + Int64(clamping: min(before, Int128(Self.longestLead)))
  }
}
