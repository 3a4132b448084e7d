import Planning
import Timeline

extension SegmentContent {
  /// What a segment shows; two of one number show the same.
  static func numbered(_ number: Int) throws -> SegmentContent {
    try SegmentContent(
      SegmentDescription(
        first: 0, end: number, frameDuration: RationalTime(1),
        renderSize: PixelSize(width: 16, height: 16), video: VideoSettings(), sources: [],
        slices: []))
  }
}
