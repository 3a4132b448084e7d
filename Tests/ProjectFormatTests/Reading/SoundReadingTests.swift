import ProjectFormat
import Support
import Testing
import Timeline

/// Speed, ducking and loudness in a project file.
@Suite(.mayBlock) struct SoundReadingTests {
  private func clip(_ keys: String) throws -> SequenceClip? {
    let text = #"{"version": 1, "sequence": [{"clip": "a", \#(keys)}]}"#
    guard case .sequence(let sequence) = try ProjectText.parse(text),
      case .clip(let clip) = sequence.items.first
    else { return nil }
    return clip
  }

  private func music(_ keys: String) throws -> MusicClip? {
    let text =
      #"{"version": 1, "sequence": [{"clip": "a"}], "music": [{"clip": "b", \#(keys)}]}"#
    guard case .sequence(let sequence) = try ProjectText.parse(text) else { return nil }
    return sequence.music.first
  }

  private func audio(_ keys: String) throws -> AudioSettings {
    try ProjectText.parse(ProjectText.composition(export: #"{"audio": {\#(keys)}}"#)).export.audio
  }

  @Test func `a speed is a number, or a list of pieces with constant or changing speeds`() throws {
    let half = try RationalTime(1, 2)
    #expect(try clip(#""speed": 2"#)?.speed == .constant(RationalTime(2)))
    #expect(try clip(#""speed": "1/2", "pitch": "varispeed""#)?.speed == .constant(half))
    #expect(try clip(#""pitch": "varispeed""#)?.pitch == .varispeed)
    #expect(
      try clip(#""speed": [{"duration": 1, "from": 1, "to": "1/2"}, {"speed": "0.5"}]"#)?.speed
        == .pieces([
          ClipSpeed.Piece(duration: RationalTime(1), from: RationalTime(1), to: half),
          ClipSpeed.Piece(from: half, to: half),
        ]))
  }

  @Test func `ducking is true, false, or an object with non-default values`() throws {
    #expect(try music(#""duck": true"#)?.duck == Ducking())
    #expect(try music(#""duck": false"#)?.duck == nil)
    #expect(
      try music(#""duck": {"to": "0.5", "attack": 0, "hold": 2}"#)?.duck
        == Ducking(to: 0.5, attack: .zero, hold: RationalTime(2)))
  }

  @Test func `a track lists the tracks that it is ducked under`() throws {
    let text = ProjectText.composition(
      tracks: #"""
        [{"id": 1, "mediaType": "video", "segments": [{"asset": "a",
          "source": {"start": 0, "duration": 1}, "target": {"start": 0, "duration": 1}}]},
         {"id": 2, "mediaType": "audio", "segments": []},
         {"id": 3, "mediaType": "audio", "segments": []}]
        """#,
      audioMix: #"{"inputParameters": [{"track": 3, "duck": {"under": [2]}}]}"#)
    guard case .composition(let project) = try ProjectText.parse(text) else { return }
    #expect(project.audioMix?.inputParameters.first?.duck == Ducking(under: [2]))
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `a loudness is a number of LUFS with an optional true-peak limit`() throws {
    #expect(try audio(#""loudness": -16"#).loudness == Loudness(target: -16))
    #expect(try audio(#""loudness": "-23""#).loudness == Loudness(target: -23))
    #expect(
      try audio(#""loudness": {"target": -14.5, "truePeak": -2}"#).loudness
        == Loudness(target: -14.5, truePeak: -2))
    #expect(try audio(#""sampleRate": 48000"#).loudness == nil)
  }

  @Test func `5.1 has a higher default bit rate`() throws {
    #expect(try audio(#""channels": 6"#).bitRate == 384_000)
    #expect(try audio(#""channels": 6, "bitRate": 256000"#).bitRate == 256_000)
    #expect(try audio(#""channels": 1"#).bitRate == 128_000)
  }
}
