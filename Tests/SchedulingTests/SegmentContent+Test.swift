import Planning
import Timeline

extension SegmentContent {
  /// The content of a segment. Equal numbers give equal contents.
  static func numbered(_ number: Int) throws -> SegmentContent {
    try SegmentContent(
      SegmentDescription(
        first: 0, end: number, frameDuration: RationalTime(1),
        renderSize: PixelSize(width: 16, height: 16), video: VideoSettings(), sources: [],
        slices: []))
  }
}
