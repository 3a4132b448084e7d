import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// The conditions under which sound is copied.
@Suite(.mayBlock) struct CopiedSoundTests {
  private static func copied(
    _ sequence: String, export: String = "", more: String = "",
    _ change: (inout MediaIndex) -> Void = { _ in }
  ) throws -> CopiedSound? {
    try mix(sequence, export: export, more: more, change)?.copied
  }

  private static func mix(
    _ sequence: String, export: String = "", more: String = "",
    _ change: (inout MediaIndex) -> Void = { _ in }
  ) throws -> MixDescription? {
    var index = try MediaIndex.clip(seconds: RationalTime(4))
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0, parameterSetIDs: [0])
    change(&index)
    let text =
      #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "passthrough"\#(export)}\#(more)}"#
    guard case .sequence(let read) = try ProjectDocument.parse(Array(text.utf8)) else { return nil }
    return try Planned.plan(read, ["a": index, "b": index]).mix
  }

  @Test func `one clip's sound is copied from the file's first sample`() throws {
    #expect(
      try Self.copied(#"{"clip": "a"}"#)
        == CopiedSound(source: 0, firstSample: 0, sampleCount: 4 * 48_000))
    #expect(
      try Self.copied(#"{"clip": "a", "in": 1, "out": 3}"#)
        == CopiedSound(source: 0, firstSample: 48_000, sampleCount: 2 * 48_000))
    #expect(
      try Self.copied(
        #"{"clip": "a", "in": 1}"#, export: #", "timeRange": {"start": "1/25", "duration": 1}"#)
        == CopiedSound(source: 0, firstSample: 48_000 + 1920, sampleCount: 48_000))
  }

  @Test func `samples are counted at the stream's own rate`() throws {
    let sound = try Self.copied(#"{"clip": "a", "in": 1}"#) {
      $0.audio[0].sampleRate = 44_100
    }
    #expect(sound == CopiedSound(source: 0, firstSample: 44_100, sampleCount: 3 * 44_100))
  }

  @Test(arguments: [
    #"{"clip": "a"}, {"clip": "b"}"#, #"{"clip": "a", "speed": 2}"#,
    #"{"clip": "a", "volume": "0.5"}"#,
  ])
  func `sound that is not one unchanged stream is mixed`(sequence: String) throws {
    #expect(try Self.copied(sequence) == nil)
  }

  @Test func `sound beneath music is mixed`() throws {
    #expect(try Self.copied(#"{"clip": "a"}"#, more: #", "music": [{"clip": "b"}]"#) == nil)
  }

  @Test(arguments: [#", "audio": {}"#, #", "audio": {"codec": "aac"}"#])
  func `sound with audio settings is mixed`(export: String) throws {
    #expect(try Self.copied(#"{"clip": "a"}"#, export: export) == nil)
  }

  @Test func `sound is copied into files that support its codec`() throws {
    #expect(try Self.copied(#"{"clip": "a"}"#) { $0.audio[0].codec = "flac" } != nil)
    let inMovie = #", "fileType": "mov""#
    #expect(
      try Self.copied(#"{"clip": "a"}"#, export: inMovie) { $0.audio[0].codec = "flac" } == nil)
    #expect(
      try Self.copied(#"{"clip": "a"}"#, export: inMovie) { $0.audio[0].codec = "pcm_s24le" } != nil
    )
    #expect(try Self.copied(#"{"clip": "a"}"#) { $0.audio[0].codec = "vorbis" } == nil)
  }

  @Test func `sound is copied into Matroska only from its beginning`() throws {
    let matroska = #", "fileType": "mkv""#
    #expect(try Self.copied(#"{"clip": "a"}"#, export: matroska) != nil)
    #expect(try Self.copied(#"{"clip": "a", "in": 1}"#, export: matroska) == nil)
  }

  /// The ranges of samples that are copied, and where they are in their sources.
  private static func ranges(_ mix: MixDescription?) -> [[Int64]]? {
    mix?.copiedParts?.ranges.map { [$0.targetSample, $0.end, $0.sourceSample] }
  }

  @Test func `clips in a row are copied one by one`() throws {
    let mix = try Self.mix(#"{"clip": "a", "in": 1}, {"clip": "b"}"#)
    #expect(Self.ranges(mix) == [[0, 144_000, 48_000], [144_000, 336_000, 0]])
    #expect(mix?.copiedParts?.isVerified == false)
  }

  @Test func `sound between fades is copied`() throws {
    let dissolve =
      #"{"clip": "a"}, {"transition": "crossDissolve", "duration": 1}, {"clip": "b", "volume": 1}"#
    #expect(
      Self.ranges(try Self.mix(dissolve)) == [[0, 144_000, 0], [192_000, 336_000, 48_000]])
  }

  @Test func `sound beneath muted music is copied, and sound beneath audible music is not`() throws
  {
    let music = #", "music": [{"clip": "b", "start": 3, "volume": "#
    #expect(
      Self.ranges(try Self.mix(#"{"clip": "a"}"#, more: music + "0.5}]")) == [[0, 144_000, 0]])
    #expect(
      Self.ranges(try Self.mix(#"{"clip": "a"}"#, more: music + "0}]")) == [[0, 192_000, 0]])
  }

  @Test func `ducked, faster and quieter sound is encoded`() throws {
    let speed = #"{"clip": "a"}, {"clip": "b", "speed": 2}"#
    #expect(Self.ranges(try Self.mix(speed)) == [[0, 192_000, 0]])
    let quieter = #"{"clip": "a", "volume": "0.5"}, {"clip": "b"}"#
    #expect(Self.ranges(try Self.mix(quieter)) == [[192_000, 384_000, 0]])
    let ducked = #", "music": [{"clip": "b", "duck": true}]"#
    #expect(Self.ranges(try Self.mix(#"{"clip": "a"}"#, more: ducked)) == nil)
  }

  @Test func `copied sound is decoded if the project says how to treat damage`() throws {
    let sequence = #"{"clip": "a"}, {"clip": "b"}"#
    #expect(
      try Self.mix(sequence, export: #", "onDamage": "fail""#)?.copiedParts?.isVerified == true)
  }

  @Test func `the sound has the format of most of the sources`() throws {
    let sequence = #"{"clip": "a"}, {"clip": "b"}"#
    let aac = try Self.mix(sequence) { $0.audio[0].sampleRate = 44_100 }
    #expect(aac?.settings == AudioSettings(sampleRate: 44_100))
    let pcm = try Self.mix(sequence, export: #", "fileType": "mov""#) {
      $0.audio[0].codec = "pcm_s24le"
    }
    #expect(pcm?.settings == AudioSettings(codec: .pcm, bitDepth: 24))
    #expect(pcm?.copiedParts == nil)
    let narrow = try Self.mix(sequence) { $0.audio[0].sampleRate = 8000 }
    #expect(narrow?.settings.sampleRate == 8000)
  }
}
