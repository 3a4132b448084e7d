import ProjectFormat
import Support
import Testing
import Timeline

/// Custom natural sizes and preferred transforms, as in AVFoundation's mutable compositions.
@Suite(.mayBlock) struct PreferredTransformTests {
  private static func project(
    naturalSize: NaturalSize? = nil, preferredTransform: AffineTransform? = nil
  ) throws -> (Project, [String: MediaIndex]) {
    let range = try TimeRange(start: .zero, duration: RationalTime(4))
    let segment = TrackSegment(asset: "a", trackIndex: 0, source: range, target: range)
    let composition = Composition(
      tracks: [
        Track(
          id: 1, mediaType: .video, segments: [segment], preferredTransform: preferredTransform)
      ], naturalSize: naturalSize)
    let index = try MediaIndex.clip(
      seconds: RationalTime(4), size: PixelSize(width: 640, height: 360))
    return (Project(assets: ["a": Asset(path: "a.mp4")], composition: composition), ["a": index])
  }

  @Test func `a natural size becomes the render size`() throws {
    let (project, indexes) = try Self.project(naturalSize: NaturalSize(width: 321, height: 240))
    let derived = try VideoComposition.derived(from: project, indexes: indexes)
    #expect(derived.renderSize == PixelSize(width: 322, height: 240))
    #expect(project.composition.naturalSize(indexes: indexes)?.width == 321)
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `a preferred transform replaces the rotation of the file`() throws {
    // A quarter turn without the translation that would keep the picture within the frame.
    let turn = AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: -5000, ty: 77)
    let (project, indexes) = try Self.project(preferredTransform: turn)
    let derived = try VideoComposition.derived(from: project, indexes: indexes)
    #expect(derived.renderSize == PixelSize(width: 360, height: 640))
    #expect(
      derived.instructions[0].layers[0].transform.value(at: .zero)
        == AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 360, ty: 0))
    #expect(project.composition.preferredTransform(indexes: indexes) == turn)
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `a preferred transform of any angle uses the picture's bounding box`() throws {
    let turn = AffineTransform(a: 0.6, b: 0.8, c: -0.8, d: 0.6, tx: 0, ty: 0)
    let (project, indexes) = try Self.project(preferredTransform: turn)
    let derived = try VideoComposition.derived(from: project, indexes: indexes)
    #expect(derived.renderSize == PixelSize(width: 672, height: 728))
    let placed = try #require(derived.instructions[0].layers[0].transform.value(at: .zero))
    #expect(placed == AffineTransform(a: 0.6, b: 0.8, c: -0.8, d: 0.6, tx: 288, ty: 0))
  }

  @Test(
    arguments: [
      (
        #", "naturalSize": {"width": 0, "height": 100}"#, "",
        "composition.naturalSize.width: 0.0 pixels cannot be rendered; use a number from 16 to 16384"
      ),
      (
        "", #", "preferredTransform": [1, 1, 1, 1, 0, 0]"#,
        "composition.tracks[0].preferredTransform: [1.0, 1.0, 1.0, 1.0, 0.0, 0.0] reduces pictures to a line or a point; use an invertible transform"
      ),
      (
        "", #", "preferredTransform": [1, 0, 0, 1, 1e9, 0]"#,
        "composition.tracks[0].preferredTransform: 1000000000.0 is out of range; use a number from -1000000 to 1000000"
      ),
    ])
  func `invalid natural sizes and preferred transforms are rejected`(
    composition: String, track: String, line: String
  ) {
    let text = """
      {"version": 1, "assets": {"a": {"path": "a"}}, "composition": {"tracks": [
        {"id": 1, "mediaType": "video"\(track), "segments": [{"asset": "a",
         "source": {"start": 0, "duration": 1}, "target": {"start": 0, "duration": 1}}]}]\(composition)}}
      """
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }
}
