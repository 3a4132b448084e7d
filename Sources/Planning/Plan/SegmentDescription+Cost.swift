import Timeline

extension SegmentDescription {
  /// How many decoded pixels cost what one encoded pixel costs, roughly, for H.264 at x264's medium.
  private static let decodedPixelsPerEncodedPixel: Int64 = 8

  /// How many pixels are copied in the time of decoding one, roughly.
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
  /// More frames than stand between two keyframes of any sane file.
  private static let longestLead: Int64 = 100_000

  /// About how many frames are decoded to show these: themselves, and those from the keyframe before them on.
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
