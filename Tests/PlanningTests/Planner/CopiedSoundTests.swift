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
    var index = try MediaIndex.clip(seconds: RationalTime(4))
    index.video[0].copying = CopyPoints(
      starts: [0, 25, 50, 75], ends: Array(1...100), delay: 0, parameterSetIDs: [0])
    change(&index)
    let text =
      #"{"version": 1, "sequence": [\#(sequence)], "export": {"preset": "passthrough"\#(export)}\#(more)}"#
    guard case .sequence(let read) = try ProjectDocument.parse(Array(text.utf8)) else { return nil }
    return try Planned.plan(read, ["a": index, "b": index]).mix?.copied
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
}
