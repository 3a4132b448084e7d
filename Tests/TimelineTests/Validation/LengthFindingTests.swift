import Testing
import Timeline

/// How long a composition and its sound may be.
struct LengthFindingTests {
  /// A project of sound alone that plays a range of it over another one.
  private static func findings(
    source: TimeRange, target: TimeRange, pitch: AudioTimePitchAlgorithm? = nil
  ) -> [String] {
    let segment = TrackSegment(asset: "a", trackIndex: 0, source: source, target: target)
    var parameters = AudioMixInputParameters(track: 1)
    parameters.audioTimePitchAlgorithm = pitch
    let project = Project(
      assets: ["a": Asset(path: "a.m4a")],
      composition: Composition(tracks: [Track(id: 1, mediaType: .audio, segments: [segment])]),
      audioMix: AudioMix(inputParameters: [parameters]),
      export: ExportSettings(preset: "appleM4A", fileType: .m4a))
    return project.findings().map(\.description)
  }

  private static func range(_ start: Int64, _ duration: Int64) throws -> TimeRange {
    try TimeRange(start: RationalTime(start), duration: RationalTime(duration))
  }

  @Test func `sound that ends too late is refused`() throws {
    let second = try Self.range(0, 1)
    #expect(Self.findings(source: second, target: try Self.range(499_999, 1)).isEmpty)
    #expect(
      Self.findings(source: second, target: try Self.range(500_000, 1)) == [
        "composition: a composition of 500001 s is too long; end at 500000 s or before"
      ])
  }

  @Test func `sound that is stretched keeps its pitch for as long as samples are counted`() throws {
    // 2³² − 1 samples at 48 kHz are 89478.485 s.
    let source = try Self.range(0, 5000)
    let (short, long) = (try Self.range(0, 89_478), try Self.range(0, 89_479))
    #expect(Self.findings(source: source, target: short).isEmpty)
    #expect(
      Self.findings(source: source, target: long) == [
        "composition.tracks[0].segments[0].target: 5000 s of sound in 89479 s are too long at 48000 Hz to keep their pitch; keep both under 89478 s, or choose \"varispeed\""
      ])
    #expect(Self.findings(source: long, target: source).count == 1)
    #expect(Self.findings(source: source, target: long, pitch: .varispeed).isEmpty)
    #expect(Self.findings(source: long, target: long).isEmpty)
  }
}
