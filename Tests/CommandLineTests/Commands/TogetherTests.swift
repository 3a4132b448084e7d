import Foundation
import Support
import Testing

/// All findings on a project are reported together, except those that depend on other findings.
@Suite(.mayBlock) struct TogetherTests {
  private let folder: TemporaryDirectory
  private let elsewhere: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    elsewhere = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: folder.path("good.mp4"))
    try SolidClip(color: (80, 128, 128), frameCount: 30).write(to: elsewhere.path("far.mp4"))
    try Tool.run(
      "ffmpeg",
      [
        "-v", "error", "-f", "lavfi", "-i", "testsrc=s=64x64", "-frames:v", "1",
        folder.path("colors.png"), "-t", "1", folder.path("small.mp4"),
      ])
    let picture = try Data(contentsOf: URL(fileURLWithPath: folder.path("colors.png")))
    try write(picture.prefix(200), to: "cut.png")
    try write(Data("hello".utf8), to: "text.mp4")
    try write(
      Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="10" height="10">\
        <image href="http://example.com/a.png"/></svg>
        """.utf8), to: "refers.svg")
  }

  private func write(_ data: Data, to name: String) throws {
    try data.write(to: URL(fileURLWithPath: folder.path(name)))
  }

  /// The layers for both forms, with invalid fonts, images and values.
  private let layers = """
    {"layers": [
      {"type": "text", "text": "Hi", "font": {"family": "Never Cut", "size": 20}, "opacity": 3},
      {"type": "text", "text": "Hi", "font": {"family": "Ever Cut", "size": -20}},
      {"type": "image", "asset": "cut.png"},
      {"type": "image", "asset": "refers.svg", "rotaton": 1},
      {"type": "image", "asset": "nowhere.png"}]}
    """
  private let wrongLayers = [
    "layers[0].opacity", "layers[0].font.family", "layers[1].font.size",
    "layers[1].font.family", "layers[2].asset", "layers[3].rotaton", "layers[3].asset",
    "layers[4].asset",
  ]

  /// Expects that a command reports findings on exactly these key paths of a project, one each.
  private func expect(
    _ paths: [String], of project: String, by arguments: [String],
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try findings(project, arguments)
    let (missing, extra) = (
      Set(paths).subtracting(found).sorted(), Set(found).subtracting(paths).sorted()
    )
    #expect(missing.isEmpty, "\(missing) are not found", sourceLocation: sourceLocation)
    #expect(extra.isEmpty, "\(extra) are found", sourceLocation: sourceLocation)
    #expect(found.count == paths.count, sourceLocation: sourceLocation)
  }

  /// The key paths on which a command reports findings.
  private func findings(_ project: String, _ arguments: [String]) throws -> [String] {
    try write(Data(project.utf8), to: "cut.json")
    let outcome = try Program.sheaf.run(
      [arguments[0], "cut.json", "--root", "."] + arguments.dropFirst(), in: folder.path)
    #expect(outcome.status == 3)
    let start = "sheaf: invalid project: "
    return outcome.standardError.split(separator: "\n").map { line in
      #expect(line.hasPrefix(start), "\(line)")
      // A path, the problem with the value, and the remedy.
      #expect(line.contains("; "), "\(line)")
      return String(line.dropFirst(start.count).prefix { $0 != ":" })
    }
  }

  @Test(arguments: [
    ["validate"], ["plan"], ["render", "-o", "out.mp4"],
    // Nothing listens on port 1. The command must not connect to it.
    ["submit", "--coordinator", "http://127.0.0.1:1"],
  ])
  func `all findings on a composition are reported together`(command: [String]) throws {
    let images = ["colors.png", "cut.png", "refers.svg", "nowhere.png"]
      .map { #""\#($0)": {"path": "\#($0)"}"# }.joined(separator: ", ")
    let project = """
      {"version": 1,
       "assets": {"good": {"path": "good.mp4"}, "gone": {"path": "gone.mp4"},
         "text": {"path": "text.mp4"}, "far": {"path": "\(elsewhere.path("far.mp4"))"},
         \(images)},
       "composition": {"tracks": [{"id": 1, "mediaType": "video", "segments": [
         {"asset": "good", "source": {"start": 0, "duration": 9}, "target": {"start": 0, "duration": 9}},
         {"asset": "gone", "source": {"start": 0, "duration": 1}, "target": {"start": 9, "duration": 1}},
         {"asset": "far", "source": {"start": 0, "duration": 1}, "target": {"start": 10, "duration": 1}},
         {"asset": "text", "source": {"start": 0, "duration": 1}, "target": {"start": 10, "duration": 1}},
         {"asset": "none", "source": {"start": 0, "duration": 2}, "target": {"start": 11, "duration": 2}}]}]},
       "videoComposition": {"renderSize": {"width": 320, "height": 180}, "frameDuration": "1/30",
         "instructions": [
          {"timeRange": {"start": 0, "duration": 5}, "layers": [{"track": 1, "blur": 3,
            "opacity": [{"timeRange": {"start": 0, "duration": 2}, "from": 0, "to": 1},
              {"timeRange": {"start": 1, "duration": 2}, "from": 2, "to": 0}],
            "mask": {"map": "colors.png", "softness": 4}}]},
          {"timeRange": {"start": 6, "duration": 7}, "layers": [{"track": 9}]}],
         "animation": \(layers)},
       "audioMix": {"inputParameters": [{"track": 4, "volume": [{"at": 0, "value": 3000}]}]},
       "export": {"preset": "appleProRes422LPCM", "fileType": "mp4",
         "timeRange": {"start": 20, "duration": 4},
         "video": {"options": {"wobble": 3, "vendor": "x", "bits_per_mb": "many"}, "profile": "low",
           "cleanAperture": {"width": 322, "height": 170, "verticalOffset": 6}},
         "audio": {"codec": "pcm"}, "metadata": {"creationDate": "soon"}, "fileLengthLimit": 7,
         "chapters": [{"time": 2, "title": "b"}, {"time": 1, "title": ""}]}}
      """
    let tracks = "composition.tracks[0].segments"
    let instructions = "videoComposition.instructions"
    let expected =
      [
        "assets.gone.path", "assets.text.path", "assets.far.path", "\(tracks)[0].source",
        "\(tracks)[3].target", "\(tracks)[4].asset", "\(instructions)[1].timeRange.start",
        "\(instructions)[0].layers[0].blur", "\(instructions)[0].layers[0].opacity[1].from",
        "\(instructions)[0].layers[0].opacity[1].timeRange.start",
        "\(instructions)[0].layers[0].mask.softness", "\(instructions)[0].layers[0].mask.map",
        "\(instructions)[1].layers[0].track", "audioMix.inputParameters[0].track",
        "audioMix.inputParameters[0].volume[0].value", "export.fileType", "export.timeRange",
        "export.video.profile", "export.video.options.wobble", "export.video.options.vendor",
        "export.video.options.bits_per_mb", "export.video.cleanAperture.width",
        "export.video.cleanAperture.verticalOffset", "export.audio.codec",
        "export.metadata.creationDate", "export.fileLengthLimit", "export.chapters",
        "export.chapters[1].time", "export.chapters[1].title",
      ] + wrongLayers.map { "videoComposition.animation.\($0)" }
    // A font may be missing here, and be there where the project is planned.
    let wanted = command[0] == "submit" ? expected.filter { !$0.hasSuffix("family") } : expected
    try expect(wanted, of: project, by: command)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.mp4")))
  }

  @Test func `all findings on a sequence are reported together`() throws {
    let project = """
      {"version": 1,
       "sequence": [{"transition": "dissolve", "duration": 1}, {"clip": "good.mp4"},
         {"transition": "dissolve", "duration": 3}, {"clip": "good.mp4", "out": 9},
         {"clip": "gone.mp4"}, {"clip": "text.mp4"}, {"clip": "good.mp4", "volume": -1},
         {"transition": "lumaWipe", "duration": "1/2", "map": "colors.png"},
         {"clip": "good.mp4", "color": 3}, {"clip": "\(elsewhere.path("far.mp4"))"},
         {"clip": "small.mp4"}, {"transition": "dissolve", "duration": 1}],
       "music": [{"clip": "colors.png"}, {"clip": "good.mp4"}],
       "animation": \(layers),
       "export": {"preset": "passthrough", "fileType": "webm",
         "timeRange": {"start": 2, "duration": -1}, "video": {"options": {"wobble": 3}},
         "audio": {"codec": "aac"}}}
      """
    let expected =
      [
        "sequence[0]", "sequence[1]", "sequence[3].out", "sequence[4].clip", "sequence[5].clip",
        "sequence[6].volume", "sequence[7].map", "sequence[8].color", "sequence[9].clip",
        "sequence[11]", "music[0].clip", "music[1].clip", "export.preset", "export.fileType",
        "export.timeRange.duration", "export.video.options", "export.audio.codec",
      ] + wrongLayers.map { "animation.\($0)" }
    try expect(expected, of: project, by: ["validate"])
  }

  @Test func `unreadable values of a composition hide only findings that depend on them`() throws {
    let project = """
      {"version": 2,
       "assets": {"good": {"path": "good.mp4"}, "gone": {"path": "gone.mp4"}, "odd": {"path": 5}},
       "composition": {"tracks": [
         {"id": 1, "mediaType": "video", "segments": [
           {"asset": "good", "source": {"start": 0, "duration": 9}, "target": {"start": 0, "duration": 9}},
           {"asset": "odd", "source": 3, "target": {"start": 9, "duration": 1}},
           {"asset": "none", "source": {"start": 0, "duration": 1}, "target": {"start": 9, "duration": 1}}]},
         {"id": "two", "mediaType": "audio", "segments": []}]},
       "videoComposition": {"renderSize": {"width": "wide", "height": 180}, "frameDuration": "1/30",
         "renderScale": 1000000,
         "instructions": [
          {"timeRange": {"start": 0, "duration": 2}, "layers": [{"track": 1, "opacity": [
            {"at": 0, "value": true}, {"at": 1, "value": 7}], "mask": {"map": "absent"}}]},
          {"timeRange": 2, "layers": [{"track": 9}]},
          {"timeRange": {"start": 5, "duration": 1}, "layers": [
            {"track": "x", "crop": [{"at": 2, "value": {"x": 0, "y": 0, "width": -1, "height": 1}}]}]}],
         "animation": {"layers": [
          {"type": "text", "text": 5, "font": {"family": "Never Cut", "size": "x"}, "rotation": "left"},
          {"type": "image", "asset": "gone", "opacity": 2, "timeRange": "1/2"},
          {"type": "blob"}, {"type": "group", "layers": [{"type": "image", "asset": "lost"}]},
          7]}},
       "audioMix": {"inputParameters": [{"track": 2, "volume": 3}, {"volume": [{"at": 0, "value": -1}]}]},
       "export": {"fileType": "mp4", "timeRange": {"start": 90, "duration": 4},
         "video": {"crf": "x", "bitDepth": 11, "options": {"wobble": 3, "me_range": [1]},
           "cleanAperture": {"width": 9000, "height": -1, "horizontalOffset": true}},
         "audio": {"codec": 9, "channels": 7}, "optimizeForNetworkUse": 1,
         "chapters": [{"time": 0.5, "title": ""}, {"time": 1, "title": ""}]}}
      """
    let (tracks, layers) = ("composition.tracks", "videoComposition.animation.layers")
    let instructions = "videoComposition.instructions"
    let expected = [
      "version", "assets.odd.path", "\(tracks)[0].segments[0].source",
      "\(tracks)[0].segments[1].source", "\(tracks)[0].segments[2].asset", "\(tracks)[1].id",
      "videoComposition.renderSize.width", "\(instructions)[0].layers[0].opacity[0].value",
      "\(instructions)[0].layers[0].mask.map", "\(instructions)[1].timeRange",
      "\(instructions)[2].layers[0].track",
      "\(instructions)[2].layers[0].crop[0].value", "\(layers)[0].text", "\(layers)[0].font.size",
      "\(layers)[0].rotation", "\(layers)[0].font.family", "\(layers)[1].opacity",
      "\(layers)[1].timeRange", "\(layers)[1].asset", "\(layers)[2].type",
      "\(layers)[3].layers[0].asset", "\(layers)[4]", "audioMix.inputParameters[0].volume",
      "audioMix.inputParameters[1].track", "audioMix.inputParameters[1].volume[0].value",
      "export.video.crf", "export.video.bitDepth", "export.video.options.wobble",
      "export.video.options.me_range", "export.video.cleanAperture.height",
      "export.video.cleanAperture.horizontalOffset", "export.audio.codec", "export.audio.channels",
      "export.optimizeForNetworkUse",
      "export.chapters[0].time", "export.chapters[1].title",
    ]
    try expect(expected, of: project, by: ["validate"])
  }

  @Test func `unreadable values of a sequence hide only findings that depend on them`() throws {
    let project = """
      {"version": 1,
       "sequence": [{"clip": "gone.mp4", "in": 0.5}, {"transition": "melt", "duration": 1},
         {"transition": "dissolve", "duration": 3}, {"clip": "good.mp4"}, 7, {"clip": 5, "volume": -1},
         {"clip": "good.mp4", "out": 9}, {"clip": "text.mp4", "speed": [{"speed": "x"}, {"speed": 0}]},
         {"transition": "dissolve", "duration": 1}],
       "music": [{"clip": "colors.png", "volume": "loud"}, {"clip": "good.mp4", "volume": -1}],
       "animation": \(layers), "fit": "tight",
       "export": {"preset": "best", "fileType": "webm", "timeRange": {"start": 2, "duration": -1},
         "video": {"crf": 200}, "audio": {"codec": "aac", "bitRate": 5}, "fileLengthLimit": 7}}
      """
    let expected =
      [
        "sequence[0].in", "sequence[0].clip", "sequence[1].transition", "sequence[2]",
        "sequence[3]", "sequence[4]", "sequence[5].clip", "sequence[6].out",
        "sequence[7].speed[0].speed", "sequence[7].clip", "sequence[8]", "music[0].volume",
        "music[0].clip",
        "music[1].volume", "music[1].clip", "fit", "export.preset", "export.timeRange.duration",
        "export.audio.codec", "export.audio.bitRate", "export.fileLengthLimit",
      ] + wrongLayers.map { "animation.\($0)" }
    try expect(expected, of: project, by: ["validate"])
  }

  @Test func `findings beside a clip at a URL are reported before anything is fetched`() throws {
    let project = """
      {"version": 1,
       "sequence": [{"clip": "http://127.0.0.1:1/a.mp4", "volume": -1}, {"clip": "gone.mp4"},
         {"clip": "good.mp4", "out": 9}],
       "animation": \(layers),
       "export": {"video": {"options": {"wobble": 3}}}}
      """
    let expected =
      [
        "sequence[0].volume", "sequence[1].clip", "sequence[2].out", "export.video.options.wobble",
      ] + wrongLayers.map { "animation.\($0)" }
    for command in [["validate"], ["submit", "--coordinator", "http://127.0.0.1:1"]] {
      // A font may be missing here, and be there where the project is planned.
      let wanted = command[0] == "submit" ? expected.filter { !$0.hasSuffix("family") } : expected
      try expect(wanted, of: project, by: command)
    }
  }
}
