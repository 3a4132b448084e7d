import ProjectFormat
import Support
import Testing
import Timeline

/// The limits on the length of a composition and its sound.
@Suite(.mayBlock) struct LengthFindingTests {
  /// The findings of an audio-only project that plays a source range in a target range.
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

  @Test func `a composition that is too long is rejected`() throws {
    let second = try Self.range(0, 1)
    #expect(Self.findings(source: second, target: try Self.range(499_999, 1)).isEmpty)
    #expect(
      Self.findings(source: second, target: try Self.range(500_000, 1)) == [
        "composition: a composition of 500001 s is too long; end at 500000 s or earlier"
      ])
  }

  @Test func `stretched sound that is too long to keep its pitch is rejected`() throws {
    // 2³² − 1 samples at 48 kHz are 89478.485 s.
    let source = try Self.range(0, 5000)
    let (short, long) = (try Self.range(0, 89_478), try Self.range(0, 89_479))
    #expect(Self.findings(source: source, target: short).isEmpty)
    #expect(
      Self.findings(source: source, target: long) == [
        "composition.tracks[0].segments[0].target: 5000 s of sound played in 89479 s is too long to keep its pitch at 48000 Hz; keep both under 89478 s, or use \"varispeed\""
      ])
    #expect(Self.findings(source: long, target: source).count == 1)
    #expect(Self.findings(source: source, target: long, pitch: .varispeed).isEmpty)
    #expect(Self.findings(source: long, target: long).isEmpty)
  }
}
