import ProjectFormat
import Support
import Testing
import Timeline

/// The findings of `validate(for:timeRange:)`, in AVFoundation's four categories.
@Suite(.mayBlock) struct VideoCompositionValidationTests {
  private static func range(_ start: Int64, _ end: Int64) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), end: RationalTime(end))
  }

  private static func videoComposition(
    _ ranges: [(Int64, Int64)], track: Int = 1, width: Int = 320, scale: Double = 1,
    frameDuration: RationalTime = RationalTime(1)
  ) throws -> VideoComposition {
    VideoComposition(
      renderSize: PixelSize(width: width, height: 180), renderScale: scale,
      frameDuration: frameDuration,
      instructions: try ranges.map {
        Instruction(
          timeRange: try TimeRange(
            start: RationalTime($0.0), duration: RationalTime($0.1 - $0.0)),
          layers: [LayerInstruction(track: track)])
      })
  }

  /// Video track 1 and audio track 2, of ten seconds each.
  private static func composition() throws -> Composition {
    let range = try range(0, 10)
    let segment = TrackSegment(asset: "a", trackIndex: 0, source: range, target: range)
    return Composition(tracks: [
      Track(id: 1, mediaType: .video, segments: [segment]),
      Track(id: 2, mediaType: .audio, segments: [segment]),
    ])
  }

  @Test func `contiguous instructions to the end are valid`() throws {
    let videoComposition = try Self.videoComposition([(0, 4), (4, 10)])
    #expect(try videoComposition.isValid(for: Self.composition()))
    #expect(videoComposition.isValid(for: nil))
  }

  @Test func `invalid values are reported by key`() throws {
    let videoComposition = try Self.videoComposition(
      [(0, 10)], width: 0, scale: -1, frameDuration: .zero)
    let keys = try videoComposition.validate(for: Self.composition()).map { finding in
      if case .invalidValue(let key, _) = finding { key } else { "\(finding)" }
    }
    #expect(keys == ["renderSize", "renderScale", "frameDuration"])
    #expect(try !videoComposition.isValid(for: Self.composition()))
  }

  @Test func `every range without an instruction is reported`() throws {
    let ranges = try Self.videoComposition([(1, 3), (5, 8)]).validate(for: Self.composition())
      .map { finding in
        if case .emptyTimeRange(let range, _) = finding { range } else { try Self.range(0, 0) }
      }
    #expect(try ranges == [Self.range(0, 1), Self.range(3, 5), Self.range(8, 10)])
    let none = try Self.videoComposition([]).validate(for: Self.composition())
    #expect(none.count == 1)
  }

  @Test func `overlapping, backward and empty instructions are reported by index`() throws {
    let numbers = try Self.videoComposition([(0, 6), (5, 9), (2, 9), (9, 9), (9, 10)])
      .validate(for: Self.composition()).map { finding in
        if case .invalidTimeRange(let number, _) = finding { number } else { -1 }
      }
    #expect(numbers == [1, 2, 3])
  }

  @Test(arguments: [(2, "an audio track"), (3, "there is no track 3")])
  func `invalid tracks are reported by instruction and layer`(track: Int, problem: String) throws {
    let findings = try Self.videoComposition([(0, 4), (4, 10)], track: track)
      .validate(for: Self.composition())
    #expect(findings.count == 2)
    for (number, finding) in findings.enumerated() {
      guard case .invalidTrackID(number, 0, let finding) = finding else {
        Issue.record("\(finding)")
        continue
      }
      #expect(finding.path == "videoComposition.instructions[\(number)].layers[0].track")
      #expect(finding.problem.contains(problem))
    }
  }

  @Test func `without a composition its tracks and end are not checked`() throws {
    #expect(try Self.videoComposition([(0, 4)], track: 9).isValid(for: nil))
    #expect(try !Self.videoComposition([(0, 4), (5, 6)]).isValid(for: nil))
  }

  @Test func `only instructions that overlap the wanted range are checked`() throws {
    let videoComposition = try Self.videoComposition([(0, 3), (4, 6), (6, 8)])
    let composition = try Self.composition()
    #expect(try videoComposition.isValid(for: composition, timeRange: Self.range(4, 8)))
    #expect(try !videoComposition.isValid(for: composition, timeRange: Self.range(2, 5)))
    #expect(try !videoComposition.isValid(for: composition, timeRange: Self.range(5, 9)))
    #expect(try videoComposition.isValid(for: nil, timeRange: Self.range(0, 3)))
    #expect(try !videoComposition.isValid(for: nil, timeRange: Self.range(20, 21)))
  }

  @Test func `all categories are reported together`() throws {
    var videoComposition = try Self.videoComposition([(1, 4), (3, 8)], track: 5, scale: 0)
    videoComposition.renderSize.height = 181
    let findings = try videoComposition.validate(for: Self.composition())
    #expect(
      findings.map(\.finding.path) == [
        "videoComposition.renderSize.height", "videoComposition.renderScale",
        "videoComposition.instructions[0].timeRange.start",
        "videoComposition.instructions[1].timeRange.start",
        "videoComposition.instructions[1].timeRange",
        "videoComposition.instructions[0].layers[0].track",
        "videoComposition.instructions[1].layers[0].track",
      ])
  }
}
