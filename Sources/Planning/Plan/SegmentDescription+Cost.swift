import Timeline

extension SegmentDescription {
  /// The approximate number of pixels that are copied in the time of decoding one.
  private static let copiedPixelsPerDecodedPixel: Int64 = 50
  /// The approximate number of pixels that are decoded in the time of compositing one pixel of a layer, measured with two
  /// layers of 1080p, one of which is half transparent.
  private static let decodedPixelsPerLayerPixel = 0.5

  /// An estimate of the work, in units of one decoded pixel, for leasing the longest segment first.
  public var expectedCost: Int64 {
    let pixels = Int64(renderSize.width) * Int64(renderSize.height)
    if copy != nil { return Int64(frameCount) * pixels / Self.copiedPixelsPerDecodedPixel }
    let decoded = sources.reduce(Int64(0)) { cost, source in
      let pixels = Int64(source.stream.size.width) * Int64(source.stream.size.height)
      return cost + source.stream.frames.decodedFrames * pixels
    }
    let layers = slices.reduce(0) { $0 + ($1.end - $1.first) * $1.compositedLayerCount }
    let made =
      Double(frameCount) * video.decodedPixelsPerEncodedPixel
      + Double(layers) * Self.decodedPixelsPerLayerPixel
    return Int64(made * Double(pixels)) + decoded
  }
}

extension InstructionSlice {
  /// The number of layers that are composited; 0 if a picture is shown as it is.
  fileprivate var compositedLayerCount: Int {
    let isPlain = layers.allSatisfy { layer in
      layer.transform.values.allSatisfy { $0 == .identity }
    }
    return (layers.count > 1 || !isPlain ? layers.count : 0) + (overlay?.layers.count ?? 0)
  }
}

extension VideoSettings {
  /// The work for an output frame that shows one decoded picture of its size, in units of one decoded pixel.
  func frameCost(of size: PixelSize) -> Int64 {
    let pixels = Double(size.width) * Double(size.height)
    return Int64(pixels * (decodedPixelsPerEncodedPixel + 1))
  }

  /// The approximate number of pixels that are decoded in the time of encoding one.
  ///
  /// Measured with 540p H.264 footage and one thread (Benchmarks/README.md, Seams). Slower presets than the measured
  /// ones count as the slowest of these.
  fileprivate var decodedPixelsPerEncodedPixel: Double {
    let measured: [(preset: String, cost: Double)] =
      switch codec {
      case .h264:
        [
          ("ultrafast", 1.5), ("superfast", 2), ("veryfast", 4.5), ("faster", 7), ("fast", 9.5),
          ("medium", 12), ("slow", 25),
        ]
      case .hevc: [("ultrafast", 12), ("superfast", 16), ("medium", 32)]
      case .av1: [("12", 4), ("10", 9), ("8", 24)]
      case .vp9: [("5", 18)]
      case .prores: [("", 2)]
      }
    let order = codec.encoderPresets
    let own = order.firstIndex(of: encoderPreset ?? "") ?? 0
    let next = measured.first { (order.firstIndex(of: $0.preset) ?? 0) >= own } ?? measured.last
    return next?.cost ?? 1
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
