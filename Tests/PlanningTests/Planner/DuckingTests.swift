import Planning
import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct DuckingTests {
  @Test func `music is ducked under the clips' sound, but not under other music`() throws {
    let indexes = [
      "a": try MediaIndex.clip(seconds: RationalTime(4)),
      "song": MediaIndex.sound(seconds: RationalTime(20)),
    ]
    let clip = SequenceItem.clip(SequenceClip(path: "a"))
    let ducking = Ducking(to: 0.5)
    let sequence = ClipSequence(
      items: [clip, clip],
      music: [MusicClip(path: "song", duck: ducking), MusicClip(path: "song")])
    let project = try sequence.expanded(indexes: indexes)
    #expect(
      project.audioMix?.inputParameters == [
        AudioMixInputParameters(
          track: 5,
          duck: Ducking(to: 0.5, under: [3, 4]))
      ])
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    let mix = try #require(try Planned.plan(sequence, indexes).mix)
    #expect(mix.ducking == [MixDucking(inputs: [2], under: [0, 1], ducking: ducking)])
  }

  @Test func `a track that names no others is ducked under all that are not ducked themselves`()
    throws
  {
    let index = try MediaIndex.clip(seconds: RationalTime(4))
    let whole = try TimeRange(start: .zero, duration: RationalTime(4))
    let segment = TrackSegment(asset: "a", trackIndex: 0, source: whole, target: whole)
    let tracks = (1...4).map {
      Track(id: $0, mediaType: $0 == 1 ? .video : .audio, segments: [segment])
    }
    let project = Project(
      assets: ["a": Asset(path: "a")], composition: Composition(tracks: tracks),
      audioMix: AudioMix(inputParameters: [
        AudioMixInputParameters(track: 3, duck: Ducking()),
        AudioMixInputParameters(track: 4, duck: Ducking(to: 0.1)),
      ]))
    let plan = try Planner.plan(
      project, indexes: ["a": index], digests: ["a": Planned.digest(1)])
    #expect(
      plan.mix?.ducking == [
        MixDucking(inputs: [1], under: [0], ducking: Ducking()),
        MixDucking(inputs: [2], under: [0], ducking: Ducking(to: 0.1)),
      ])
  }

  @Test func `music over silent clips is not ducked`() throws {
    let indexes = [
      "a": try MediaIndex.clip(seconds: RationalTime(4), hasAudio: false),
      "song": MediaIndex.sound(seconds: RationalTime(20)),
    ]
    let sequence = ClipSequence(
      items: [.clip(SequenceClip(path: "a"))], music: [MusicClip(path: "song", duck: Ducking())])
    #expect(try Planned.plan(sequence, indexes).mix?.ducking == nil)
    #expect(try sequence.expanded(indexes: indexes).audioMix == nil)
  }
}
