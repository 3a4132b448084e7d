import Crypto
import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The plan of a composition if only a part is exported.
@Suite(.mayBlock) struct TimeRangeExportTests {
  private static func plan(_ range: TimeRange?) throws -> Plan {
    let indexes = ["a": try MediaIndex.clip(seconds: RationalTime(20))]
    let items = try (0..<2).map { _ in
      SequenceItem.clip(
        SequenceClip(path: "a", inPoint: try RationalTime(1, 2), outPoint: RationalTime(10)))
    }
    let sequence = ClipSequence(items: items, export: ExportSettings(timeRange: range))
    return try Planned.plan(sequence, indexes)
  }

  @Test func `a range has the frames, sources and sound of the whole`() throws {
    let whole = try Self.plan(nil)
    let part = try Self.plan(
      try TimeRange(start: RationalTime(3), duration: RationalTime(8)))
    #expect(part.frameCount == 200)
    #expect(part.segments.first?.first == 75)
    #expect(part.segments.last?.end == 275)
    #expect(try Planned.shown(part) == Array(try Planned.shown(whole)[75..<275]))
    let mix = try #require(part.mix)
    #expect(mix.skippedSamples == 144_000)
    #expect(mix.sampleCount == 528_000)
    #expect(mix.inputs.map(\.targetSample) == whole.mix?.inputs.map(\.targetSample))
  }

  @Test func `a range that contains no frame time is rejected`() throws {
    let error = #expect(throws: ProjectError.self) {
      _ = try Self.plan(
        try TimeRange(start: try RationalTime(1, 1000), duration: try RationalTime(1, 1000)))
    }
    #expect(error?.findings.map(\.path) == ["export.timeRange"])
  }

  @Test func `an audio-only export is planned without segments, on a grid of samples`() throws {
    var project = Project(
      assets: ["a": Asset(path: "a")],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .audio,
          segments: [
            TrackSegment(
              asset: "a", trackIndex: 0,
              source: try TimeRange(start: .zero, duration: RationalTime(4)),
              target: try TimeRange(start: .zero, duration: RationalTime(4)))
          ])
      ]))
    project.export.timeRange = try TimeRange(start: RationalTime(1), duration: RationalTime(2))
    let index = try MediaIndex.clip(seconds: RationalTime(20))
    let plan = try Planner.plan(
      project, indexes: ["a": index], digests: ["a": try Planned.digest(1)])
    #expect(plan.segments.isEmpty)
    #expect(plan.frameCount == 0)
    #expect(plan.mix?.skippedSamples == 48_000)
    #expect(plan.mix?.sampleCount == 144_000)
    #expect(plan.estimatedFileLength == 32_000)
  }
}
