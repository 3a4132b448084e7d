import Media
import Planning
import Rendering
import Support
import Testing
import Timeline

/// A file rendered losslessly in the composition that is derived from it.
enum DerivedRendering {
  /// The derived composition's size and its second frame.
  static func secondFrame(
    of path: String, in folder: TemporaryDirectory
  ) throws -> (size: PixelSize, frame: DecodedFrame) {
    let index = try MediaProber.index(of: FileByteSource(path: path), named: path)
    let range = try TimeRange(start: .zero, duration: RationalTime(2, 15))
    var project = Project(
      assets: ["a": Asset(path: path)],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .video,
          segments: [TrackSegment(asset: "a", trackIndex: 0, source: range, target: range)])
      ]))
    project.export.preset = ExportPreset.highestQuality.name
    project.export.video = VideoSettings(crf: 0, encoderPreset: "ultrafast")
    let digest = try #require(TestScene.digest)
    let plan = try Planner.plan(project, indexes: ["a": index], digests: ["a": digest])
    let chunk = folder.path("chunk.mp4")
    _ = try SegmentRenderer(segment: plan.segments[0]) { _ in try FileByteSource(path: path) }
      .render(to: chunk)
    let frames = try DecodedFrame.all(in: chunk, size: plan.renderSize)
    try #require(frames.count > 1)
    return (plan.renderSize, frames[1])
  }
}
