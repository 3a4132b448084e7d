import Timeline

/// Estimates the work for output frames before they are cut into segments, in units of one decoded pixel.
struct FrameCost {
  /// The most work in a segment whose length follows its cost: about a minute on one core that decodes 250 million pixels
  /// of H.264 a second.
  static let mostInSegment: Int64 = 16_000_000_000

  private let pixels: Int64
  private let encoding: Int64

  /// Creates the estimate for an output.
  init(renderSize: PixelSize, video: VideoSettings) {
    pixels = Int64(renderSize.width) * Int64(renderSize.height)
    encoding = Int64(Double(pixels) * video.decodedPixelsPerEncodedPixel)
  }

  /// The work for each frame of a slice, without that for titles and animation layers.
  func each(of slice: DraftSlice) -> Int64 {
    let decoded = slice.layers.reduce(Int64(0)) { sum, layer in
      let size = layer.stream.size
      return layer.index.isStillImage ? sum : sum + Int64(size.width) * Int64(size.height)
    }
    let blended = slice.layers.count > 1 ? slice.layers.count : 0
    return encoding + decoded
      + Int64(Double(pixels) * Double(blended) * SegmentDescription.decodedPixelsPerLayerPixel)
  }
}
