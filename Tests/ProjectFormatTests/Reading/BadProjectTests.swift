import ProjectFormat
import Support
import Testing
import Timeline

/// Each composition has one problem, which is reported with its path, its value and a remedy.
@Suite(.mayBlock) struct BadProjectTests {
  @Test(arguments: [
    (
      ProjectText.composition(version: "2"),
      "version: version 2 is not supported; use \"version\": 1"
    ),
    (
      ProjectText.composition(version: "1.0"),
      "version: 1.0 is not a whole number; use a whole number"
    ),
    (
      ProjectText.composition(extra: #", "color": 1"#),
      "color: \"color\" is not a known key; known keys: version, assets, composition, videoComposition, audioMix, export"
    ),
    (
      ProjectText.composition(extra: #", "metadata": {}"#),
      "metadata: \"metadata\" is not supported yet; remove it"
    ),
    (
      ProjectText.composition(extra: #", "sequence": []"#),
      "project: \"composition\" and \"sequence\" cannot be used together; remove one of them"
    ),
    (ProjectText.composition(assets: "[]"), "assets: a list is not an object; use an object"),
    (
      ProjectText.composition(assets: #"{"a": {"path": ""}}"#),
      "assets.a.path: \"\" is not a valid path; use the path of a file"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "a", "my key": 1}}"#),
      "assets.a[\"my key\"]: \"my key\" is not a known key; known keys: path, url"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "https://host/a.mp4"}}"#),
      "assets.a.path: this is a URL, not a path; use the key \"url\" instead; if this is a file name, begin it with ./"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "concat:a.mp4|/etc/passwd"}}"#),
      "assets.a.path: the protocol \"concat:\" is not supported; use a path, or an http or https URL; if this is a file name, begin it with ./"
    ),
    (
      ProjectText.composition(
        assets: #"{"a": {"path": "\#(String(repeating: "p", count: 4097))"}}"#),
      "assets.a.path: \"\(String(repeating: "p", count: 60))…\" has 4097 bytes, more than the limit of 4096; use a shorter path or URL"
    ),
    (
      ProjectText.composition(
        assets: #"{"a": {"url": "https://host/\#(String(repeating: "p", count: 4097))"}}"#),
      "assets.a.url: \"https://host/\(String(repeating: "p", count: 47))…\" has 4110 bytes, more than the limit of 4096; use a shorter path or URL"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"url": "file:///etc/passwd"}}"#),
      "assets.a.url: the protocol \"file:\" is not supported; use a path, or an http or https URL; if this is a file name, begin it with ./"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "file:/etc/passwd"}}"#),
      "assets.a.path: the protocol \"file:\" is not supported; use a path, or an http or https URL; if this is a file name, begin it with ./"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"url": "ftp://host/a.mp4"}}"#),
      "assets.a.url: the protocol \"ftp:\" is not supported; use a path, or an http or https URL; if this is a file name, begin it with ./"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"url": "a.mp4"}}"#),
      "assets.a.url: \"a.mp4\" is not an http or https URL; begin it with https://"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"url": "https://ada:secret@host/a.mp4"}}"#),
      "assets.a.url: the URL contains a user name or a password; remove them"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"url": "https://host/a.mp4", "path": "a.mp4"}}"#),
      "assets.a: \"path\" and \"url\" cannot be used together; remove one of them"
    ),
    (
      ProjectText.composition(assets: #"{"a": {}}"#),
      "assets.a.path: \"path\" is missing; add it"
    ),
    (
      ProjectText.composition(tracks: #"[{"id": 1, "mediaType": "text", "segments": []}]"#),
      "composition.tracks[0].mediaType: \"text\" is not supported yet; choose one of: video, audio"
    ),
    (
      ProjectText.composition(tracks: #"[{"id": 1, "mediaType": "smell", "segments": []}]"#),
      "composition.tracks[0].mediaType: \"smell\" is not a valid value; choose one of: video, audio"
    ),
    (
      ProjectText.composition(tracks: #"[{"mediaType": "video", "segments": []}]"#),
      "composition.tracks[0].id: \"id\" is missing; add it"
    ),
    (
      ProjectText.composition(tracks: "[]"),
      "composition.tracks: no video track has a segment; add a video track with a segment"
    ),
    (
      ProjectText.composition(source: #"{"start": 0, "duration": 2.5}"#),
      "composition.tracks[0].segments[0].source.duration: 2.5 is a floating-point number; write the time as \"2.5\" or \"n/d\""
    ),
    (
      ProjectText.composition(source: #"{"start": 0, "duration": 2.0}"#),
      "composition.tracks[0].segments[0].source.duration: 2.0 is a floating-point number; write the time as \"2.0\" or \"n/d\""
    ),
    (
      ProjectText.composition(source: #"{"start": "1/0", "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: \"1/0\" has a denominator of zero; use a denominator other than zero"
    ),
    (
      ProjectText.composition(source: #"{"start": "soon", "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: \"soon\" is not a time; use an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (
      ProjectText.composition(source: #"{"start": null, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: null is not a time; use an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (
      ProjectText.composition(source: #"{"start": 9223372036854775808, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: 9223372036854775808 does not fit in 64 bits; use a time in seconds"
    ),
    (
      ProjectText.composition(source: #"{"start": 9223372036854775807, "duration": 10}"#),
      "composition.tracks[0].segments[0].source: a range that starts at 9223372036854775807 s and lasts 10 s ends at a time that does not fit in a 64-bit fraction; use simpler times"
    ),
    (
      ProjectText.composition(source: #"{"start": -1, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: -1 is negative; start at 0 or later"
    ),
    (
      ProjectText.composition(source: #"{"start": 0, "duration": "1/4"}"#),
      "composition.tracks[0].segments[0].target.duration: a speed of 1/40 (1/4 s played in 10 s) is out of range; use a speed from 1/20 to 100"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 1}]}"#),
      "audioMix.inputParameters[0].track: track 1 is a video track; use the id of an audio track"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 9}]}"#),
      "audioMix.inputParameters[0].track: there is no track 9; use the id of an audio track"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 3}, {"track": 3}]}"#),
      "audioMix.inputParameters[1].track: track 3 already has parameters; keep one entry per track"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "volume": [{"at": 0, "value": 1e308}]}]}"#),
      "audioMix.inputParameters[0].volume[0].value: 1e+308 is out of range; use a value from 0 to 1000"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "volume": [{"at": 0, "value": -1}]}]}"#),
      "audioMix.inputParameters[0].volume[0].value: -1.0 is out of range; use a value from 0 to 1000"
    ),
    (
      ProjectText.composition(
        audioMix:
          #"{"inputParameters": [{"track": 3, "audioTimePitchAlgorithm": "timeDomain"}]}"#),
      "audioMix.inputParameters[0].audioTimePitchAlgorithm: \"timeDomain\" is not supported yet; choose one of: spectral, varispeed"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: #""bounce""#)),
      "audioMix.inputParameters[0].volume[0].timingFunction: \"bounce\" is not a valid curve; use one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, 0, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction: a list of 3 values is not a valid curve; use one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "2")),
      "audioMix.inputParameters[0].volume[0].timingFunction: 2 is not a valid curve; use one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, 0, 1.5, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction[2]: the time of a control point, 1.5, is out of range; use a value from 0 to 1"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, -10.5, 1, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction[1]: the progress of a control point, -10.5, is out of range; use a value from -10 to 10"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passThrough"}"#),
      "export.preset: \"passThrough\" is not a known preset; choose one of: automatic, highestQuality, mediumQuality, lowQuality, 640x480, 960x540, 1280x720, 1920x1080, 3840x2160, hevc1920x1080, hevc3840x2160, hevcHighestQuality, appleProRes422LPCM, appleProRes4444LPCM, appleM4A, passthrough"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passthrough", "video": {"codec": "hevc"}}"#),
      "export.video.codec: \"hevc\" cannot be chosen with the preset \"passthrough\", which keeps the codec of the sources; remove it, or choose another preset"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passthrough", "video": {"bitRate": 100000}}"#),
      "export.video.bitRate: 100000 cannot be set with the preset \"passthrough\", which keeps the format of the sources; remove it; only \"crf\", \"encoderPreset\", \"tune\" and \"keyFrameInterval\" can be set, for the frames that cannot be copied"
    ),
    (
      ProjectText.composition(export: #"{"fileType": "m4a", "video": {"codec": "prores"}}"#),
      "export.video: an audio-only file has no video; remove it, or choose a preset and a file type with video"
    ),
    (
      ProjectText.composition(export: #"{"fileType": "avi"}"#),
      "export.fileType: \"avi\" is not a valid value; choose one of: mp4, mov, m4v, mkv, webm, m4a"
    ),
    (
      ProjectText.composition(export: #"{"video": {"codec": "mjpeg"}}"#),
      "export.video.codec: \"mjpeg\" is not a valid value; choose one of: h264, hevc, av1, vp9, prores"
    ),
    (
      ProjectText.composition(export: #"{"video": {"crf": 52}}"#),
      "export.video.crf: 52.0 is out of range; use a value from 0 (best) to 51"
    ),
    (
      ProjectText.composition(export: #"{"video": {"crf": "low"}}"#),
      "export.video.crf: \"low\" is not a number; use a number"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"channels": 3}}"#),
      "export.audio.channels: 3 channels cannot be encoded; use 1, 2, or 6 for 5.1"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": -4}}"#),
      "export.audio.loudness.target: -4.0 LUFS is out of range; use a value from -50 to -5"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": {"target": -16, "truePeak": 1}}}"#),
      "export.audio.loudness.truePeak: 1.0 dBTP is out of range; use a value from -20 to 0"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": true}}"#),
      "export.audio.loudness: true is not a valid loudness; use a number of LUFS such as -16, or {\"target\": -16, \"truePeak\": -1}"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "duck": {"under": [3]}}]}"#),
      "audioMix.inputParameters[0].duck.under[0]: track 3 cannot be ducked under itself; name another audio track"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "duck": {"under": [1]}}]}"#),
      "audioMix.inputParameters[0].duck.under[0]: track 1 is a video track; name another audio track"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"sampleRate": 47999}}"#),
      "export.audio.sampleRate: AAC does not support 47999 samples per second; choose one of: 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000"
    ),
    (
      ProjectText.composition(export: #"{"optimizeForNetworkUse": 1}"#),
      "export.optimizeForNetworkUse: 1 is not true or false; use true or false"
    ),
  ])
  func `an invalid composition is rejected with one finding`(text: String, line: String) {
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }

  @Test func `a truncated list of findings says so and begins with the certain ones`() {
    let segments = (0..<3000).map {
      """
      {"asset": "a", "trackIndex": -1, "source": {"start": 0, "duration": 1},
       "target": {"start": \($0), "duration": 1}}
      """
    }
    let tracks =
      #"[{"id": 1, "mediaType": "video", "segments": [\#(segments.joined(separator: ","))]}]"#
    let lines = ProjectText.findings(
      ProjectText.composition(tracks: tracks, export: #"{"video": {"crf": "x"}}"#)
    ).map(\.description)
    #expect(lines.count == 1002)
    #expect(lines.first?.hasPrefix("export.video.crf: ") == true)
    #expect(lines[1...1000].allSatisfy { $0.contains(".trackIndex: ") })
    #expect(lines.last == "project: 2000 more problems were found; fix the ones above first")
  }

  @Test func `a long name is shortened in findings`() {
    let name = String(repeating: "n", count: 4000)
    let text = ProjectText.composition(
      assets: "{\"\(name)\": {\"path\": \"a.mp4\"}}")
    let lines = ProjectText.findings(text).map(\.description)
    #expect(lines.contains { $0.contains("known assets: nnn") && $0.contains("nnn…") })
    #expect(lines.allSatisfy { $0.count < 1000 })
  }
}
