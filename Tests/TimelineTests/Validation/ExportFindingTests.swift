import Support
import Testing
import Timeline

/// Every refusal of export settings names the key's path, the value, and what would be accepted.
struct ExportFindingTests {
  static let refused: [(export: String, line: String)] = [
    (
      #"{"fileType": "webm", "audio": {"codec": "opus"}}"#,
      "export.fileType: webm files cannot hold h264, which the preset \"highestQuality\" asks for; choose one of: mp4, mov, m4v, mkv; or in webm one of the codecs: av1, vp9"
    ),
    (
      #"{"preset": "appleProRes422LPCM", "fileType": "mp4", "audio": {"codec": "aac"}}"#,
      "export.fileType: mp4 files cannot hold prores, which the preset \"appleProRes422LPCM\" asks for; choose one of: mov, mkv; or in mp4 one of the codecs: h264, hevc, av1, vp9"
    ),
    (
      #"{"fileType": "mov", "video": {"codec": "vp9"}}"#,
      "export.fileType: mov files cannot hold vp9, which export.video.codec asks for; choose one of: mp4, mkv, webm; or in mov one of the codecs: h264, hevc, prores"
    ),
    (
      #"{"audio": {"codec": "pcm"}}"#,
      "export.audio.codec: mp4 files cannot hold pcm; choose one of the codecs: aac, opus, flac, alac; or the file type mov, mkv"
    ),
    (
      #"{"video": {"codec": "av1", "crf": 0}}"#,
      "export.video.crf: 0.0 is no constant rate factor; give 1 (best) to 63"
    ),
    (
      #"{"video": {"codec": "vp9", "crf": "30.5"}}"#,
      "export.video.crf: 30.5 is not a whole number, which libvpx-vp9 needs; give 0 (best) to 63"
    ),
    (
      #"{"fileType": "mov", "video": {"codec": "prores", "crf": 20}}"#,
      "export.video.crf: ProRes has no constant rate factor; choose a profile instead"
    ),
    (
      #"{"video": {"crf": 20, "bitRate": 1000000}}"#,
      "export.video.bitRate: there is a \"bitRate\" as well as a \"crf\"; write one of the two"
    ),
    (
      #"{"video": {"bitRate": 5}}"#,
      "export.video.bitRate: 5 bits a second cannot be asked of libx264; give 10000 to 960000000"
    ),
    (
      #"{"video": {"codec": "av1", "encoderPreset": "medium"}}"#,
      "export.video.encoderPreset: \"medium\" is not a preset of libsvtav1; choose one of: 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0"
    ),
    (
      #"{"video": {"bitDepth": 12}}"#,
      "export.video.bitDepth: 12 bits a sample cannot be encoded as h264; give 8 or 10"
    ),
    (
      #"{"video": {"profile": "high10"}}"#,
      "export.video.profile: \"high10\" is not a profile for 8 bits a sample of libx264; choose one of: baseline, main, high"
    ),
    (
      #"{"video": {"level": "7"}}"#,
      "export.video.level: \"7\" is not a level of libx264; choose one of: 1, 1b, 1.1, 1.2, 1.3, 2, 2.1, 2.2, 3, 3.1, 3.2, 4, 4.1, 4.2, 5, 5.1, 5.2, 6, 6.1, 6.2"
    ),
    (
      #"{"video": {"codec": "vp9", "tune": "film"}, "fileType": "mkv"}"#,
      "export.video.tune: \"film\" is not a tuning of libvpx-vp9; choose one of: psnr, ssim"
    ),
    (
      #"{"video": {"keyFrameInterval": 0}}"#,
      "export.video.keyFrameInterval: a keyframe every 0 frames is not possible; give 1 to 10000"
    ),
    (
      #"{"video": {"pixelAspectRatio": 0}}"#,
      "export.video.pixelAspectRatio: 0 is no pixel's width over its height; give a fraction above 0 of numbers up to 255"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 0, "height": 90}}}"#,
      "export.video.cleanAperture.width: 0 pixels cannot be a width; give more than 0"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90, "height": "-1/2"}}}"#,
      "export.video.cleanAperture.height: -1/2 pixels cannot be a height; give more than 0"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90, "height": 90, "verticalOffset": "1/1001"}}}"#,
      "export.video.cleanAperture.verticalOffset: 1/1001 is too fine a fraction; give a denominator up to 1000"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90.5, "height": 90}}}"#,
      "export.video.cleanAperture.width: 90.5 is a floating-point number; write the time as \"90.5\" or \"n/d\""
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90}}}"#,
      "export.video.cleanAperture.height: \"height\" is missing; add it"
    ),
    (
      #"{"fileType": "mkv", "video": {"cleanAperture": {"width": 90, "height": 90}}}"#,
      "export.fileType: mkv files cannot say a clean aperture, which export.video.cleanAperture asks for; leave that out, or choose one of: mp4, mov, m4v"
    ),
    (
      #"{"fileType": "webm", "video": {"codec": "vp9", "cleanAperture": {"width": 90, "height": 90}}, "audio": {"codec": "opus"}}"#,
      "export.fileType: webm files cannot say a clean aperture, which export.video.cleanAperture asks for; leave that out, or choose one of: mp4"
    ),
    (
      #"{"preset": "passthrough", "video": {"cleanAperture": {"width": 90, "height": 80, "verticalOffset": -5}}}"#,
      "export.video.cleanAperture: 90×80 at 0, -5 cannot be asked for with the preset \"passthrough\", which keeps the sources' format; leave it out; \"crf\", \"encoderPreset\", \"tune\" and \"keyFrameInterval\" say how the frames are encoded that cannot be copied"
    ),
    (
      #"{"video": {"options": {"threads": 4}}}"#,
      "export.video.options.threads: \"threads\" cannot be set: it would make the bytes depend on the host; leave it out"
    ),
    (
      #"{"video": {"options": {"no-open_gop": true}}}"#,
      "export.video.options.no-open_gop: \"no-open_gop\" cannot be set: it would keep chunks from joining; leave it out"
    ),
    (
      #"{"video": {"options": {"stats": "x"}}}"#,
      "export.video.options.stats: \"stats\" cannot be set: it needs files or passes beside the one that is made; leave it out"
    ),
    (
      #"{"video": {"codec": "av1", "options": {"chroma-sample-position": "topleft"}}}"#,
      "export.video.options.chroma-sample-position: \"chroma-sample-position\" cannot be set: another key of the project, or the plan, decides it; leave it out"
    ),
    (
      #"{"video": {"options": {"crf": 3}}}"#,
      "export.video.options.crf: \"crf\" cannot be set: another key of the project, or the plan, decides it; leave it out"
    ),
    (
      #"{"video": {"options": {"deblock": "1:1"}}}"#,
      "export.video.options.deblock: \"1:1\" is not an option's value; give a name and a value without colons, equals signs and quotes"
    ),
    (
      #"{"video": {"options": {"deblock": [1]}}}"#,
      "export.video.options.deblock: a list is not an option's value; give a text, a number, true or false"
    ),
    (
      #"{"audio": {"codec": "opus", "sampleRate": 44100}}"#,
      "export.audio.sampleRate: 44100 samples a second cannot be encoded as Opus; choose one of: 8000, 12000, 16000, 24000, 48000"
    ),
    (
      #"{"audio": {"codec": "flac", "bitRate": 128000}}"#,
      "export.audio.bitRate: FLAC has no bit rate to choose; leave it out"
    ),
    (
      #"{"audio": {"bitDepth": 24}}"#,
      "export.audio.bitDepth: AAC has no bits a sample to choose; leave it out"
    ),
    (
      #"{"timeRange": {"start": 2, "duration": 100}}"#,
      "export.timeRange: [2, 102) reaches beyond the end of the composition, 10; end at 10 or before"
    ),
    (
      #"{"timeRange": {"start": -1, "duration": 2}}"#,
      "export.timeRange.start: -1 lies before the start; give 0 or more"
    ),
    (
      #"{"timeRange": {"start": 1, "duration": 0}}"#,
      "export.timeRange.duration: 0 is no length; give more than 0"
    ),
    (
      #"{"metadata": {"creationDate": "2025-02-29"}}"#,
      "export.metadata.creationDate: \"2025-02-29\" is not a date; give a date from 1970-01-02 to 2039-12-31, as 2026-11-20 or 2026-11-20T18:30:00Z"
    ),
    (
      #"{"metadata": {"title": ""}}"#,
      "export.metadata.title: 0 bytes of text cannot be written; give 1 to 1000 bytes without NUL"
    ),
    (
      #"{"chapters": [{"time": 1, "title": "a"}, {"time": 1, "title": "b"}]}"#,
      "export.chapters[1].time: 1 does not come after 1; write the chapters in the order of time, from 0 on"
    ),
    (
      #"{"chapters": [{"time": 0, "title": "a"}], "fileLengthLimit": 100000}"#,
      "export.chapters: chapters cannot be written into a file with a \"fileLengthLimit\", whose end is not known before the rest of it; leave out one of the two"
    ),
    (
      #"{"fileLengthLimit": 1000}"#,
      "export.fileLengthLimit: no file can be made of 1000 bytes; give 65536 or more"
    ),
    (
      #"{"preset": "appleM4A"}"#,
      "export: there is no sound to make a file of; add an audio track, or choose a preset and a file type with pictures"
    ),
  ]

  @Test(arguments: refused)
  func `a wrong setting is refused in one line`(export: String, line: String) {
    #expect(
      ProjectText.findings(ProjectText.composition(export: export)).map(\.description) == [line])
  }

  @Test func `all that is wrong with an export is reported at once`() {
    let text = ProjectText.composition(
      export: """
        {"preset": "hevc1920x1080", "fileType": "webm", "video": {"crf": 60, "bitDepth": 9},
         "audio": {"codec": "pcm"}, "fileLengthLimit": 1, "metadata": {"title": ""}}
        """)
    #expect(
      ProjectText.findings(text).map(\.path) == [
        "export.fileType", "export.audio.codec", "export.video.crf", "export.video.bitDepth",
        "export.metadata.title", "export.fileLengthLimit",
      ])
  }

  @Test func `every setting is read, and written back as it was read`() throws {
    let text = ProjectText.composition(
      export: """
        {"preset": "hevcHighestQuality", "fileType": "mkv", "optimizeForNetworkUse": false,
         "video": {"codec": "hevc", "bitRate": 2000000, "encoderPreset": "fast",
           "keyFrameInterval": 60, "profile": "main10", "level": "4.1", "tune": "grain",
           "bitDepth": 10, "pixelAspectRatio": "4/3",
           "options": {"aq-mode": 2, "sao": false, "psy-rd": "1.5"}},
         "audio": {"codec": "flac", "sampleRate": 44100, "channels": 1, "bitDepth": 24},
         "timeRange": {"start": 1, "duration": "5/2"},
         "metadata": {"title": "A", "artist": "B", "copyright": "C", "creationDate": "2026-11-20"},
         "chapters": [{"time": 0, "title": "one"}, {"time": "3/2", "title": "two"}]}
        """)
    let export = try ProjectText.parse(text).export
    #expect(
      export
        == ExportSettings(
          preset: "hevcHighestQuality", fileType: .mkv, optimizeForNetworkUse: false,
          video: VideoSettings(
            codec: .hevc, encoderPreset: "fast", bitRate: 2_000_000, keyFrameInterval: 60,
            profile: "main10", level: "4.1", tune: "grain", bitDepth: 10,
            options: ["aq-mode": "2", "sao": "0", "psy-rd": "1.5"],
            pixelAspectRatio: try RationalTime(4, 3)),
          audio: AudioSettings(codec: .flac, sampleRate: 44_100, channels: 1, bitDepth: 24),
          timeRange: try TimeRange(start: RationalTime(1), duration: try RationalTime(5, 2)),
          metadata: ExportMetadata(
            title: "A", artist: "B", copyright: "C", creationDate: "2026-11-20"),
          chapters: [
            Chapter(time: .zero, title: "one"), Chapter(time: try RationalTime(3, 2), title: "two"),
          ]))
    let limited = ProjectText.composition(export: #"{"fileLengthLimit": 1000000}"#)
    #expect(try ProjectText.parse(limited).export.fileLengthLimit == 1_000_000)
    let cut = ProjectText.composition(
      export: """
        {"fileType": "mov", "video": {"cleanAperture":
          {"width": "1407/2", "height": 576, "horizontalOffset": "-0.25", "verticalOffset": 3}}}
        """)
    #expect(
      try ProjectText.parse(cut).export.video.cleanAperture
        == VideoSettings.CleanAperture(
          width: try RationalTime(1407, 2), height: RationalTime(576),
          horizontalOffset: try RationalTime(-1, 4), verticalOffset: RationalTime(3)))
    for text in [text, limited, cut] {
      guard case .composition(let project) = try ProjectText.parse(text) else {
        Issue.record("not a composition")
        continue
      }
      #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    }
  }

  @Test(arguments: [
    ("hevc1920x1080", VideoSettings.Codec.hevc, AudioSettings.Codec.aac, FileType.mp4),
    ("hevc3840x2160", .hevc, .aac, .mp4), ("hevcHighestQuality", .hevc, .aac, .mp4),
    ("appleProRes422LPCM", .prores, .pcm, .mov), ("appleProRes4444LPCM", .prores, .pcm, .mov),
    ("highestQuality", .h264, .aac, .mp4), ("1920x1080", .h264, .aac, .mp4),
  ])
  func `a preset decides codecs and container where the project does not`(
    preset: String, video: VideoSettings.Codec, audio: AudioSettings.Codec, fileType: FileType
  ) throws {
    let export = try ProjectText.parse(
      ProjectText.composition(export: #"{"preset": "\#(preset)"}"#)
    ).export
    #expect(export.video.codec == video)
    #expect(export.audio.codec == audio)
    #expect(export.fileType == fileType)
    let chosen = ExportPreset.named(preset)
    #expect(export.video.profile == chosen?.profile)
    #expect(export == ExportSettings(try #require(chosen)))
  }
}
