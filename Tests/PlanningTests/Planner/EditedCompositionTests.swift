import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// A composition that a program edited is planned like one from a file.
@Suite(.mayBlock) struct EditedCompositionTests {
  private let beach: IndexedAsset
  private let harbor: IndexedAsset

  init() throws {
    beach = IndexedAsset(name: "beach", index: try .clip(seconds: RationalTime(10)))
    harbor = IndexedAsset(name: "harbor", index: try .clip(seconds: RationalTime(6)))
  }

  private func keys(_ project: Project) throws -> [Digest] {
    try Planner.plan(
      project, indexes: ["beach": beach.index, "harbor": harbor.index],
      digests: ["beach": Planned.digest(1), "harbor": Planned.digest(2)]
    )
    .segments.map { try $0.contentKey(fingerprint: "x") }
  }

  private func written(_ segments: String) throws -> Project {
    let text = """
      { "version": 1,
        "assets": { "beach": {"path": "beach.mp4"}, "harbor": {"path": "harbor.mp4"} },
        "composition": { "tracks": [
          { "id": 1, "mediaType": "video", "segments": [\(segments)] },
          { "id": 2, "mediaType": "audio", "segments": [\(segments)] } ] } }
      """
    return try ProjectDocument.parse(Array(text.utf8)).project(indexes: [:])
  }

  @Test func `a preset scales a larger render size in the same way as a render scale`() throws {
    var project = try edited { _ in }
    project.export.preset = "960x540"
    let clip = try TimeRange(start: .zero, duration: project.composition.duration)
    project.videoComposition = VideoComposition(
      renderSize: PixelSize(width: 1920, height: 1080), frameDuration: try RationalTime(1, 30),
      instructions: [Instruction(timeRange: clip, layers: [LayerInstruction(track: 1)])])
    let fitted = try keys(project)
    project.videoComposition?.renderScale = 0.5
    #expect(try keys(project) == fitted)
  }

  private func segment(_ asset: String, source: Int, target: Int, duration: Int) -> String {
    """
    { "asset": "\(asset)", "trackIndex": 0,
      "source": {"start": \(source), "duration": \(duration)},
      "target": {"start": \(target), "duration": \(duration)} }
    """
  }

  private func edited(_ edit: (inout Composition) throws -> Void) throws -> Project {
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: RationalTime(8)), of: beach)
    try edit(&composition)
    return Project(
      assets: ["beach": Asset(path: "beach.mp4"), "harbor": Asset(path: "harbor.mp4")],
      composition: composition)
  }

  @Test func `edits and an equivalent file have equal content keys`() throws {
    let edited = try edited { composition in
      try composition.insertTimeRange(
        TimeRange(start: RationalTime(1), duration: RationalTime(2)), of: harbor,
        at: RationalTime(3))
      try composition.removeTimeRange(
        TimeRange(start: RationalTime(6), duration: RationalTime(1)))
    }
    let written = try written(
      [
        segment("beach", source: 0, target: 0, duration: 3),
        segment("harbor", source: 1, target: 3, duration: 2),
        segment("beach", source: 3, target: 5, duration: 1),
        segment("beach", source: 5, target: 6, duration: 3),
      ].joined(separator: ", "))
    #expect(edited == written)
    #expect(try keys(edited) == keys(written))
    #expect(try !keys(edited).isEmpty)
  }

  @Test func `an undone cut has the content keys of the uncut composition`() throws {
    let edited = try edited { composition in
      let range = try TimeRange(start: RationalTime(3), duration: RationalTime(2))
      try composition.insertEmptyTimeRange(range)
      try composition.removeTimeRange(range)
    }
    let written = try written(segment("beach", source: 0, target: 0, duration: 8))
    #expect(edited.composition.tracks.map(\.segments.count) == [2, 2])
    #expect(try keys(edited) == keys(written))
  }
}
