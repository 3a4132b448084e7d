import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// Files with a single, complete sample description: `"compatibility": "strict"`.
@Suite(.mayBlock) struct CompatibilityTests {
  private static let dissolved =
    #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}, {"clip": "b"}"#
  private static let strict = #"{"compatibility": "strict"}"#

  private static func clip(
    _ sets: [UInt8] = [1, 2, 3], id: Int = 0, codec: String = "h264"
  ) throws -> MediaIndex {
    try Copied.clip { index in
      index.video[0].codec = codec
      index.video[0].parameterSets = sets
      index.video[0].copying?.parameterSetIDs = codec == "h264" ? [id] : []
    }
  }

  @Test func `H.264 is copied if all parameter sets have ids of their own`() throws {
    let same = try Copied.plan(
      ["a": Self.clip(), "b": Self.clip()], export: Self.strict, Self.dissolved)
    #expect(same.carried?.encoded?.video.options?["sps-id"] == "1")
    let distinct = try Copied.plan(
      ["a": Self.clip(), "b": Self.clip([4], id: 1)], export: Self.strict, Self.dissolved)
    #expect(distinct.carried?.encoded?.video.options?["sps-id"] == "2")
    #expect(distinct.export.compatibility == .strict)
  }

  @Test func `clips whose parameter sets have the same id are encoded`() throws {
    let clips = ["a": try Self.clip(), "b": try Self.clip([4])]
    #expect(try Copied.plan(clips, export: "{}", Self.dissolved).carried != nil)
    let plan = try Copied.plan(clips, export: Self.strict, Self.dissolved)
    #expect(plan.carried == nil)
    #expect(Set(plan.methods ?? []) == [SegmentMethod(.compatibility)])
    #expect(
      Copied.refusal(
        clips, export: #"{"preset": "passthrough", "compatibility": "strict"}"#, Self.dissolved)
        == [
          #"export.compatibility: the parts of the file have different parameter sets, which one sample description cannot hold; choose the preset "automatic" or "highestQuality", which encode every frame, or remove "compatibility""#
        ])
  }

  @Test(arguments: [(#"{"clip": "a"}"#, true), (#"{"clip": "a", "in": "1/5"}"#, false)])
  func `H.265 is copied only if nothing is encoded`(sequence: String, isCopied: Bool) throws {
    let plan = try Copied.plan(
      ["a": Self.clip(codec: "hevc")], export: Self.strict, sequence)
    #expect((plan.carried != nil) == isCopied)
  }

  @Test func `VP9, which has no parameter sets, is copied beside encoded parts`() throws {
    let clips = ["a": try Self.clip([], codec: "vp9"), "b": try Self.clip([], codec: "vp9")]
    #expect(try Copied.plan(clips, export: Self.strict, Self.dissolved).carried?.encoded != nil)
  }

  @Test func `an unknown compatibility is refused`() {
    #expect(
      Copied.refusal([:], export: #"{"compatibility": "loose"}"#, #"{"clip": "a"}"#)
        == [#"export.compatibility: "loose" is not a valid value; choose one of: strict"#])
  }
}
