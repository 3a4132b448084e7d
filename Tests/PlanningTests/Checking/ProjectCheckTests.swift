import Planning
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ProjectCheckTests {
  private func check(_ export: String) throws -> ProjectCheck {
    let text = """
      {"version": 1, "assets": {"song": {"path": "song.m4a"}},
       "composition": {"tracks": [{"id": 1, "mediaType": "audio", "segments": [
         {"asset": "song", "source": {"start": 0, "duration": 4},
          "target": {"start": 0, "duration": 4}}]}]},
       "export": \(export)}
      """
    let document = try ProjectDocument.parse(Array(text.utf8))
    let song = try MediaIndex.clip(seconds: RationalTime(4))
    return ProjectCheck(document, indexes: ["song": song], unreadable: [:])
  }

  @Test func `an audio-only export is checked against neither frames nor a video encoder`() throws {
    let check = try check(
      #"{"timeRange": {"start": 1, "duration": "1/100"}, "video": {"options": {"me": "x"}}}"#)
    #expect(check.findings.isEmpty)
    #expect(check.encoder == nil)
    #expect(check.project != nil)
  }

  @Test func `the encoder checks the remaining settings if some are wrong`() throws {
    let text = """
      {"version": 1, "sequence": [{"clip": "a.mp4"}],
       "export": {"video": {"codec": "hevc", "crf": 99, "bitDepth": 10,
         "options": {"aq-mode": 2, "threads": 1}}}}
      """
    let (document, _, _) = try ProjectDocument.read(Array(text.utf8))
    let check = ProjectCheck(
      document, indexes: ["a.mp4": try .clip(seconds: RationalTime(4))], unreadable: [:])
    #expect(
      check.findings.map(\.path) == ["export.video.crf", "export.video.options.threads"])
    #expect(
      check.encoder?.video
        == VideoSettings(
          codec: .hevc, crf: nil, bitDepth: 10, options: ["aq-mode": "2"]
        )
        .withoutQuality)
    #expect(check.encoder?.size == nil)
  }
}

extension VideoSettings {
  fileprivate var withoutQuality: VideoSettings {
    var settings = self
    settings.crf = nil
    return settings
  }
}
