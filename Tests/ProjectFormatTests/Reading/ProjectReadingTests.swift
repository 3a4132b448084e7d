import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct ProjectReadingTests {
  @Test func `the composition form is read completely`() throws {
    let text = ProjectText.composition(
      videoComposition: ProjectText.videoComposition(
        instructions: """
          [{"timeRange": {"start": 0, "duration": 10}, "backgroundColor": "#102030",
            "enablePostProcessing": false, "layers": [{"track": 1,
            "opacity": [{"timeRange": {"start": "9.5", "duration": "1/2"}, "from": 1, "to": 0.25}],
            "transform": [{"at": 0, "value": [0, 1, -1, 0, 1080, 0]}],
            "crop": [{"at": 0, "value": {"x": 1, "y": 2, "width": 3, "height": 4.5}}]}]}]
          """, extra: #", "renderScale": 1, "animation": {"layers": []}"#),
      audioMix: #"{"inputParameters": [{"track": 3, "volume": [{"at": 0, "value": "0.5"}]}]}"#,
      export: """
        {"preset": "mediumQuality", "fileType": "mov", "optimizeForNetworkUse": false,
         "video": {"codec": "h264", "crf": 18, "encoderPreset": "slow"},
         "audio": {"codec": "aac", "bitRate": 96000, "sampleRate": 44100, "channels": 1}}
        """)
    // 1920×1080 does not fit in mediumQuality, which another test covers.
    let fitting = text.replacing(
      #""width": 1920, "height": 1080"#, with: #""width": 640, "height": 360"#)
    let ten = try TimeRange(start: .zero, duration: RationalTime(10))
    let fade = try TimeRange(start: RationalTime(19, 2), duration: RationalTime(1, 2))
    let project = Project(
      assets: ["a": Asset(path: "a.mp4")],
      composition: Composition(tracks: [
        Track(
          id: 1, mediaType: .video,
          segments: [TrackSegment(asset: "a", trackIndex: 0, source: ten, target: ten)]),
        Track(id: 3, mediaType: .audio),
      ]),
      videoComposition: VideoComposition(
        renderSize: PixelSize(width: 640, height: 360), frameDuration: try RationalTime(1, 30),
        instructions: [
          Instruction(
            timeRange: ten, backgroundColor: Color(red: 16, green: 32, blue: 48),
            enablePostProcessing: false,
            layers: [
              LayerInstruction(
                track: 1, opacity: Ramps([.ramp(timeRange: fade, from: 1, to: 0.25)]),
                transform: Ramps([
                  .step(
                    at: .zero, value: AffineTransform(a: 0, b: 1, c: -1, d: 0, tx: 1080, ty: 0))
                ]),
                crop: Ramps([
                  .step(at: .zero, value: PixelRect(x: 1, y: 2, width: 3, height: 4.5))
                ]))
            ])
        ]),
      audioMix: AudioMix(inputParameters: [
        AudioMixInputParameters(track: 3, volume: Ramps([.step(at: .zero, value: 0.5)]))
      ]),
      export: ExportSettings(
        preset: "mediumQuality", fileType: .mov, optimizeForNetworkUse: false,
        video: VideoSettings(crf: 18, encoderPreset: "slow"),
        audio: AudioSettings(bitRate: 96_000, sampleRate: 44_100, channels: 1)))
    #expect(try ProjectText.parse(fitting) == .composition(project))
  }

  @Test func `the sequence form is read completely`() throws {
    let text = """
      { "version": 1,
        "sequence": [ {"clip": "a.mp4", "in": 2, "out": 12, "volume": "0.5"}, {"transition": "dissolve", "duration": 1},
          {"clip": "b.mp4"}, {"transition": "push", "duration": "1/2", "direction": "up"},
          {"clip": "logo.png", "duration": 3} ],
        "music": [ {"clip": "song.m4a", "start": 1, "in": 2, "out": 9, "volume": 0.4, "fadeIn": 1, "fadeOut": 3},
          {"clip": "bed.wav", "loop": true} ],
        "export": { "preset": "1920x1080" } }
      """
    let sequence = ClipSequence(
      items: [
        .clip(
          SequenceClip(
            path: "a.mp4", inPoint: RationalTime(2), outPoint: RationalTime(12), volume: 0.5)),
        .transition(SequenceTransition(kind: .dissolve, duration: RationalTime(1))),
        .clip(SequenceClip(path: "b.mp4")),
        .transition(
          SequenceTransition(kind: .push, duration: try RationalTime(1, 2), direction: .up)),
        .clip(SequenceClip(path: "logo.png", duration: RationalTime(3))),
      ],
      music: [
        MusicClip(
          path: "song.m4a", start: RationalTime(1), inPoint: RationalTime(2),
          outPoint: RationalTime(9), volume: 0.4, fadeIn: RationalTime(1), fadeOut: RationalTime(3)),
        MusicClip(path: "bed.wav", loops: true),
      ],
      export: ExportSettings(preset: "1920x1080"))
    #expect(try ProjectText.parse(text) == .sequence(sequence))
    #expect(Set(sequence.assets.keys) == ["a.mp4", "b.mp4", "logo.png", "song.m4a", "bed.wav"])
  }

  @Test func `the color, easing and sound of transitions are read`() throws {
    let text = """
      { "version": 1,
        "sequence": [ {"clip": "a"}, {"transition": "fade", "duration": 1, "color": "#102030", "audio": "equalPower"},
          {"clip": "b"}, {"transition": "slide", "duration": 2, "direction": "down", "easing": "easeOut"},
          {"clip": "c"}, {"transition": "fade", "duration": 1, "easing": [0.25, "0.1", "1/4", 1], "audio": "linear"},
          {"clip": "d"} ] }
      """
    let curve = TimingFunction.cubicBezier(x1: 0.25, y1: 0.1, x2: 0.25, y2: 1)
    let transitions = [
      SequenceTransition(
        kind: .fade, duration: RationalTime(1), color: Color(red: 16, green: 32, blue: 48),
        audio: .equalPower),
      SequenceTransition(
        kind: .slide, duration: RationalTime(2), direction: .down, easing: .easeOut),
      SequenceTransition(kind: .fade, duration: RationalTime(1), easing: curve),
    ]
    guard case .sequence(let sequence) = try ProjectText.parse(text) else {
      Issue.record("the project is a composition")
      return
    }
    #expect(
      sequence.items.filter { if case .transition = $0 { true } else { false } }
        == transitions.map { .transition($0) })
  }

  @Test(
    arguments: zip(
      [
        "highestQuality", "mediumQuality", "lowQuality", "640x480", "960x540", "1280x720",
        "1920x1080", "3840x2160",
      ],
      [20, 24, 28, 20, 20, 20, 20, 20] as [Double]))
  func `a preset determines the rate factor if the project does not`(preset: String, crf: Double)
    throws
  {
    let text = ProjectText.composition(export: #"{"preset": "\#(preset)"}"#)
    #expect(try ProjectText.parse(text).export.video.crf == crf)
  }

  @Test func `all problems are reported together in file order`() {
    let text = ProjectText.composition(
      tracks: """
        [{"id": 1, "mediaType": "video", "color": 1, "segments": [
          {"asset": "b", "source": {"start": 0, "duration": 0}, "target": {"start": 0, "duration": 0}}]},
         {"id": 1, "mediaType": "audio", "segments": []}]
        """, export: #"{"preset": "huge", "audio": {"channels": 0}}"#)
    #expect(
      ProjectText.findings(text).map(\.path) == [
        "composition.tracks[0].color", "export.preset",
        "composition.tracks[0].segments[0].asset",
        "composition.tracks[0].segments[0].source.duration",
        "composition.tracks[0].segments[0].target.duration", "composition.tracks[1].id",
        "export.audio.channels",
      ])
  }

  @Test func `excess findings are counted and not listed`() {
    let keys = (0..<500).map { ", \"key\($0)\": 1" }.joined()
    let findings = ProjectText.findings(ProjectText.composition(extra: keys))
    #expect(findings.count == 201)
    #expect(findings.last?.problem == "300 more problems were found")
  }

  @Test func `an animation without layers is ignored`() throws {
    func sequence(_ animation: String) throws -> ProjectDocument {
      try ProjectText.parse(
        #"{"version": 1, "sequence": [{"clip": "a.mp4", "out": 6}]\#(animation)}"#)
    }
    #expect(try sequence(#", "animation": {"layers": []}"#) == sequence(""))
  }
}
