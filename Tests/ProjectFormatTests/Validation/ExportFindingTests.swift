import ProjectFormat
import Support
import Testing
import Timeline

/// Every finding on export settings states the key's path, the value, and the accepted values.
@Suite(.mayBlock) struct ExportFindingTests {
  static let refused: [(export: String, line: String)] = [
    (
      #"{"preset": "highestQuality", "fileType": "webm", "audio": {"codec": "opus"}}"#,
      "export.fileType: webm files cannot contain h264, which the preset \"highestQuality\" uses; choose another file type (mp4, mov, m4v, mkv) or another video codec (av1, vp9)"
    ),
    (
      #"{"preset": "automatic", "video": {"crf": 20}}"#,
      "export.video: video settings cannot be used with the preset \"automatic\", which takes them from the clips; remove them, or choose another preset, such as \"highestQuality\""
    ),
    (
      #"{"compatibility": "old"}"#,
      "export.compatibility: \"old\" is not a valid value; choose one of: strict"
    ),
    (
      #"{"preset": "appleProRes422LPCM", "fileType": "mp4", "audio": {"codec": "aac"}}"#,
      "export.fileType: mp4 files cannot contain prores, which the preset \"appleProRes422LPCM\" uses; choose another file type (mov, mkv) or another video codec (h264, hevc, av1, vp9)"
    ),
    (
      #"{"fileType": "mov", "video": {"codec": "vp9"}}"#,
      "export.fileType: mov files cannot contain vp9, which export.video.codec sets; choose another file type (mp4, mkv, webm) or another video codec (h264, hevc, prores)"
    ),
    (
      #"{"audio": {"codec": "pcm"}}"#,
      "export.audio.codec: mp4 files cannot contain pcm; choose another codec (aac, opus, flac, alac) or another file type (mov, mkv)"
    ),
    (
      #"{"video": {"codec": "av1", "crf": 0}}"#,
      "export.video.crf: 0.0 is out of range; use a value from 1 (best) to 63"
    ),
    (
      #"{"video": {"codec": "vp9", "crf": "30.5"}}"#,
      "export.video.crf: 30.5 is not a whole number, which libvpx-vp9 requires; use a whole number from 0 (best) to 63"
    ),
    (
      #"{"fileType": "mov", "video": {"codec": "prores", "crf": 20}}"#,
      "export.video.crf: ProRes does not take a crf; use a profile instead"
    ),
    (
      #"{"video": {"crf": 20, "bitRate": 1000000}}"#,
      "export.video.bitRate: \"bitRate\" and \"crf\" cannot be used together; remove one of them"
    ),
    (
      #"{"video": {"bitRate": 5}}"#,
      "export.video.bitRate: 5 bits per second is out of range for libx264; use a value from 10000 to 960000000"
    ),
    (
      #"{"video": {"codec": "av1", "encoderPreset": "medium"}}"#,
      "export.video.encoderPreset: \"medium\" is not a preset of libsvtav1; choose one of: 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0"
    ),
    (
      #"{"video": {"bitDepth": 12}}"#,
      "export.video.bitDepth: h264 does not support 12 bits per sample; use 8 or 10"
    ),
    (
      #"{"video": {"profile": "high10"}}"#,
      "export.video.profile: \"high10\" is not a profile of libx264 for 8 bits per sample; choose one of: baseline, main, high"
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
      "export.video.keyFrameInterval: 0 is out of range; use a value from 1 to 10000"
    ),
    (
      #"{"video": {"pixelAspectRatio": 0}}"#,
      "export.video.pixelAspectRatio: 0 is not a valid pixel aspect ratio; use a fraction greater than 0 with numbers up to 255"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 0, "height": 90}}}"#,
      "export.video.cleanAperture.width: 0 is not a valid width; use a value greater than 0"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90, "height": "-1/2"}}}"#,
      "export.video.cleanAperture.height: -1/2 is not a valid height; use a value greater than 0"
    ),
    (
      #"{"video": {"cleanAperture": {"width": 90, "height": 90, "verticalOffset": "1/1001"}}}"#,
      "export.video.cleanAperture.verticalOffset: the denominator of 1/1001 is too large; use a denominator of at most 1000"
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
      "export.fileType: mkv files cannot store a clean aperture, which export.video.cleanAperture sets; remove it, or choose another file type (mp4, mov, m4v)"
    ),
    (
      #"{"fileType": "webm", "video": {"codec": "vp9", "cleanAperture": {"width": 90, "height": 90}}, "audio": {"codec": "opus"}}"#,
      "export.fileType: webm files cannot store a clean aperture, which export.video.cleanAperture sets; remove it, or choose another file type (mp4)"
    ),
    (
      #"{"preset": "passthrough", "video": {"cleanAperture": {"width": 90, "height": 80, "verticalOffset": -5}}}"#,
      "export.video.cleanAperture: 90×80 at 0, -5 cannot be set with the preset \"passthrough\", which keeps the format of the sources; remove it; only \"crf\", \"encoderPreset\", \"tune\" and \"keyFrameInterval\" can be set, for the frames that cannot be copied"
    ),
    (
      #"{"video": {"options": {"threads": 4}}}"#,
      "export.video.options.threads: \"threads\" cannot be set: it would make the output depend on the host; remove it"
    ),
    (
      #"{"video": {"options": {"no-open_gop": true}}}"#,
      "export.video.options.no-open_gop: \"no-open_gop\" cannot be set: it would prevent chunks from being joined; remove it"
    ),
    (
      #"{"video": {"options": {"stats": "x"}}}"#,
      "export.video.options.stats: \"stats\" cannot be set: it needs additional files or passes; remove it"
    ),
    (
      #"{"video": {"codec": "av1", "options": {"chroma-sample-position": "topleft"}}}"#,
      "export.video.options.chroma-sample-position: \"chroma-sample-position\" cannot be set: another key of the project, or the plan, determines it; remove it"
    ),
    (
      #"{"video": {"options": {"crf": 3}}}"#,
      "export.video.options.crf: \"crf\" cannot be set: another key of the project, or the plan, determines it; remove it"
    ),
    (
      #"{"video": {"options": {"deblock": "1:1"}}}"#,
      "export.video.options.deblock: \"1:1\" is not a valid option value; use a name and a value without colons, equals signs and quotes"
    ),
    (
      #"{"video": {"options": {"deblock": [1]}}}"#,
      "export.video.options.deblock: a list is not a valid option value; use a string, a number, true or false"
    ),
    (
      #"{"audio": {"codec": "opus", "sampleRate": 44100}}"#,
      "export.audio.sampleRate: Opus does not support 44100 samples per second; choose one of: 8000, 12000, 16000, 24000, 48000"
    ),
    (
      #"{"audio": {"codec": "flac", "bitRate": 128000}}"#,
      "export.audio.bitRate: FLAC does not take a bit rate; remove it"
    ),
    (
      #"{"audio": {"bitDepth": 24}}"#,
      "export.audio.bitDepth: AAC does not take a bit depth; remove it"
    ),
    (
      #"{"timeRange": {"start": 2, "duration": 100}}"#,
      "export.timeRange: [2, 102) extends beyond the end of the composition, 10; end at 10 or earlier"
    ),
    (
      #"{"timeRange": {"start": -1, "duration": 2}}"#,
      "export.timeRange.start: -1 is negative; use 0 or more"
    ),
    (
      #"{"timeRange": {"start": 1, "duration": 0}}"#,
      "export.timeRange.duration: 0 is not a valid duration; use a value greater than 0"
    ),
    (
      #"{"metadata": {"creationDate": "2025-02-29"}}"#,
      "export.metadata.creationDate: \"2025-02-29\" is not a valid date; use a date from 1970-01-02 to 2039-12-31, such as 2026-11-20 or 2026-11-20T18:30:00Z"
    ),
    (
      #"{"metadata": {"title": ""}}"#,
      "export.metadata.title: the text (0 bytes) is empty, too long or contains a NUL; use 1 to 1000 bytes without NUL characters"
    ),
    (
      #"{"chapters": [{"time": 1, "title": "a"}, {"time": 1, "title": "b"}]}"#,
      "export.chapters[1].time: 1 is not after 1; list the chapters in chronological order, starting at 0 or later"
    ),
    (
      #"{"chapters": [{"time": 0, "title": "a"}], "fileLengthLimit": 100000}"#,
      "export.chapters: chapters cannot be combined with a \"fileLengthLimit\", because the end of the file is not known in advance; remove one of them"
    ),
    (
      #"{"fileLengthLimit": 1000}"#,
      "export.fileLengthLimit: a file cannot be as small as 1000 bytes; use 65536 or more"
    ),
    (
      #"{"preset": "appleM4A"}"#,
      "export: there is no audio to export; add an audio track, or choose a preset and a file type with video"
    ),
  ]

  @Test(arguments: refused)
  func `an invalid setting is rejected with one finding`(export: String, line: String) {
    #expect(
      ProjectText.findings(ProjectText.composition(export: export)).map(\.description) == [line])
  }

  @Test func `all problems of export settings are reported together`() {
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
        Issue.record("the project is a sequence")
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
    ("automatic", .h264, .aac, .mp4),
  ])
  func `a preset determines the codecs and the container if the project does not`(
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

  @Test func `the preset is automatic unless the project sets it or video settings`() throws {
    func export(_ text: String) throws -> ExportSettings {
      try ProjectText.parse(ProjectText.composition(export: text)).export
    }
    #expect(try export("{}") == ExportSettings(.automatic))
    #expect(try export(#"{"fileType": "webm"}"#).audio.codec == .opus)
    #expect(try export(#"{"preset": "automatic"}"#) == ExportSettings(.automatic))
    let encoded = try export(#"{"video": {"crf": 30}}"#)
    #expect(encoded.preset == nil && encoded.effectivePreset == .highestQuality)
    for text in ["{}", #"{"compatibility": "strict", "audio": {"channels": 1}}"#] {
      guard
        case .composition(let project) = try ProjectText.parse(
          ProjectText.composition(export: text))
      else { continue }
      #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    }
  }

  @Test func `a project written after its format was chosen names the preset that does the same`()
    throws
  {
    func written(_ choice: FormatChoice) throws -> ExportSettings {
      guard
        case .composition(var project) = try ProjectText.parse(
          ProjectText.composition(export: "{}"))
      else { throw CancellationError() }
      project.export.choice = choice
      return try ProjectDocument.parse(Array(project.json())).export
    }
    func continued(isStored: Bool) throws -> FormatChoice {
      .continued(
        ContinuedFormat(
          asset: "a", trackIndex: 0, size: PixelSize(width: 640, height: 360),
          frameDuration: try RationalTime(1, 25), isStored: isStored))
    }
    #expect(try written(continued(isStored: false)) == ExportSettings(.automatic))
    #expect(try written(continued(isStored: true)) == ExportSettings(.passthrough))
    let encoded = try written(.encoded(because: .codec))
    #expect(encoded.preset == "highestQuality" && encoded.copiesSound == nil)
    #expect(encoded.video == VideoSettings() && encoded.audio == AudioSettings())
  }
}
