import Testing
import Timeline

/// Each text is wrong in one thing, which is reported with its path, its value and a remedy.
struct BadProjectTests {
  @Test(arguments: [
    (
      ProjectText.composition(version: "2"), "version: version 2 is not known; write \"version\": 1"
    ),
    (
      ProjectText.composition(version: "1.0"),
      "version: 1.0 is not a whole number; give a whole number"
    ),
    (
      ProjectText.composition(extra: #", "colour": 1"#),
      "colour: \"colour\" is not a known key; known here: version, assets, composition, videoComposition, audioMix, export"
    ),
    (
      ProjectText.composition(extra: #", "metadata": {}"#),
      "metadata: \"metadata\" is not supported yet; leave it out"
    ),
    (
      ProjectText.composition(extra: #", "sequence": []"#),
      "project: there is a \"composition\" as well as a \"sequence\"; write one of the two"
    ),
    (ProjectText.composition(assets: "[]"), "assets: a list is not an object; give an object"),
    (
      ProjectText.composition(assets: #"{"a": {"path": ""}}"#),
      "assets.a.path: \"\" is not a path; give the path of a file"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "a", "my key": 1}}"#),
      "assets.a[\"my key\"]: \"my key\" is not a known key; known here: path"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "https://host/a.mp4"}}"#),
      "assets.a.path: \"https://host/a.mp4\" is a URL, and nothing is fetched; give the path of a file; begin it with ./ where the file is called that"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "concat:a.mp4|/etc/passwd"}}"#),
      "assets.a.path: \"concat:a.mp4|/etc/passwd\" is a URL, and nothing is fetched; give the path of a file; begin it with ./ where the file is called that"
    ),
    (
      ProjectText.composition(assets: #"{"a": {"path": "file:/etc/passwd"}}"#),
      "assets.a.path: \"file:/etc/passwd\" is a URL, and nothing is fetched; give the path of a file; begin it with ./ where the file is called that"
    ),
    (
      ProjectText.composition(tracks: #"[{"id": 1, "mediaType": "text", "segments": []}]"#),
      "composition.tracks[0].mediaType: \"text\" is not supported yet; choose one of: video, audio"
    ),
    (
      ProjectText.composition(tracks: #"[{"id": 1, "mediaType": "smell", "segments": []}]"#),
      "composition.tracks[0].mediaType: \"smell\" is not known here; choose one of: video, audio"
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
      "composition.tracks[0].segments[0].source.start: \"1/0\" has a denominator of zero; give a denominator above zero"
    ),
    (
      ProjectText.composition(source: #"{"start": "soon", "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: \"soon\" is not a time; write an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (
      ProjectText.composition(source: #"{"start": null, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: null is not a time; write an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (
      ProjectText.composition(source: #"{"start": 9223372036854775808, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: 9223372036854775808 does not fit in 64 bits; give a time in seconds"
    ),
    (
      ProjectText.composition(source: #"{"start": 9223372036854775807, "duration": 10}"#),
      "composition.tracks[0].segments[0].source: the end of the range from 9223372036854775807 of 10 s does not fit in 64 bits; give simpler times"
    ),
    (
      ProjectText.composition(source: #"{"start": -1, "duration": 10}"#),
      "composition.tracks[0].segments[0].source.start: -1 is before 0; start at 0 or later"
    ),
    (
      ProjectText.composition(source: #"{"start": 0, "duration": "1/4"}"#),
      "composition.tracks[0].segments[0].target.duration: a speed of 1/40 (1/4 s shown in 10 s) cannot be played; give a speed from 1/20 to 100"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 1}]}"#),
      "audioMix.inputParameters[0].track: track 1 is a video track; name an audio track"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 9}]}"#),
      "audioMix.inputParameters[0].track: there is no track 9; name an audio track"
    ),
    (
      ProjectText.composition(audioMix: #"{"inputParameters": [{"track": 3}, {"track": 3}]}"#),
      "audioMix.inputParameters[1].track: track 3 has parameters already; keep one set of parameters a track"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "volume": [{"at": 0, "value": -1}]}]}"#),
      "audioMix.inputParameters[0].volume[0].value: -1.0 is no volume; give 0 or more"
    ),
    (
      ProjectText.composition(
        audioMix:
          #"{"inputParameters": [{"track": 3, "audioTimePitchAlgorithm": "timeDomain"}]}"#),
      "audioMix.inputParameters[0].audioTimePitchAlgorithm: \"timeDomain\" is not supported yet; choose one of: spectral, varispeed"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: #""bounce""#)),
      "audioMix.inputParameters[0].volume[0].timingFunction: \"bounce\" is not known here; write one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, 0, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction: a list of 3 is not a curve; write one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "2")),
      "audioMix.inputParameters[0].volume[0].timingFunction: 2 is not a curve; write one of linear, easeIn, easeOut, easeInEaseOut, default, equalPowerRise, equalPowerFall, or [x1, y1, x2, y2]"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, 0, 1.5, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction[2]: 1.5 is no time of a control point; give 0 to 1"
    ),
    (
      ProjectText.composition(audioMix: ProjectText.fade(timing: "[0, -10.5, 1, 1]")),
      "audioMix.inputParameters[0].volume[0].timingFunction[1]: -10.5 overshoots out of any picture; give -10 to 10"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passThrough"}"#),
      "export.preset: \"passThrough\" is not a known preset; choose one of: highestQuality, mediumQuality, lowQuality, 640x480, 960x540, 1280x720, 1920x1080, 3840x2160, hevc1920x1080, hevc3840x2160, hevcHighestQuality, appleProRes422LPCM, appleProRes4444LPCM, appleM4A, passthrough"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passthrough", "video": {"codec": "hevc"}}"#),
      "export.video.codec: \"hevc\" cannot be chosen with the preset \"passthrough\", which keeps that of the sources; leave it out, or choose another preset"
    ),
    (
      ProjectText.composition(export: #"{"preset": "passthrough", "video": {"bitRate": 100000}}"#),
      "export.video.bitRate: 100000 cannot be asked for with the preset \"passthrough\", which keeps the sources' format; leave it out; \"crf\", \"encoderPreset\", \"tune\" and \"keyFrameInterval\" say how the frames are encoded that cannot be copied"
    ),
    (
      ProjectText.composition(export: #"{"fileType": "avi"}"#),
      "export.fileType: \"avi\" is not known here; choose one of: mp4, mov, m4v, mkv, webm, m4a"
    ),
    (
      ProjectText.composition(export: #"{"video": {"codec": "mjpeg"}}"#),
      "export.video.codec: \"mjpeg\" is not known here; choose one of: h264, hevc, av1, vp9, prores"
    ),
    (
      ProjectText.composition(export: #"{"video": {"crf": 52}}"#),
      "export.video.crf: 52.0 is no constant rate factor; give 0 (best) to 51"
    ),
    (
      ProjectText.composition(export: #"{"video": {"crf": "low"}}"#),
      "export.video.crf: \"low\" is not a number; give a number"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"channels": 3}}"#),
      "export.audio.channels: 3 channels cannot be encoded; give 1, 2, or 6 for 5.1"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": -4}}"#),
      "export.audio.loudness.target: -4.0 LUFS cannot be reached; give -50 to -5"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": {"target": -16, "truePeak": 1}}}"#),
      "export.audio.loudness.truePeak: 1.0 dBTP is no ceiling; give -20 to 0"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"loudness": true}}"#),
      "export.audio.loudness: true is no loudness; write LUFS such as -16, or {\"target\": -16, \"truePeak\": -1}"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "duck": {"under": [3]}}]}"#),
      "audioMix.inputParameters[0].duck.under[0]: track 3 cannot give way to itself; name another audio track"
    ),
    (
      ProjectText.composition(
        audioMix: #"{"inputParameters": [{"track": 3, "duck": {"under": [1]}}]}"#),
      "audioMix.inputParameters[0].duck.under[0]: track 1 is a video track; name another audio track"
    ),
    (
      ProjectText.composition(export: #"{"audio": {"sampleRate": 47999}}"#),
      "export.audio.sampleRate: 47999 samples a second cannot be encoded as AAC; choose one of: 8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000, 64000, 88200, 96000"
    ),
    (
      ProjectText.composition(export: #"{"optimizeForNetworkUse": 1}"#),
      "export.optimizeForNetworkUse: 1 is not true or false; give true or false"
    ),
  ])
  func `a wrong composition is refused in one line`(text: String, line: String) {
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }

  @Test(arguments: [
    (
      #"{"clip": "a.mp4", "speed": 200}"#,
      "sequence[0].speed: a speed of 200 cannot be played; give a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": "1/21"}"#,
      "sequence[0].speed: a speed of 1/21 cannot be played; give a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": 0}"#,
      "sequence[0].speed: a speed of 0 cannot be played; give a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": "fast"}"#,
      "sequence[0].speed: \"fast\" is not a time; write an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (#"{"clip": "a.mp4", "speed": []}"#, "sequence[0].speed: there is no piece; add one"),
    (
      #"{"clip": "a.mp4", "speed": [{"speed": 2}, {"speed": 1}]}"#,
      "sequence[0].speed[0].duration: \"duration\" is missing; add it: only the last piece takes the rest"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"duration": 0, "speed": 2}, {"speed": 1}]}"#,
      "sequence[0].speed[0].duration: 0 is not a length of time; give a duration above 0"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"from": 2}]}"#,
      "sequence[0].speed[0].to: \"to\" is missing; add it"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"from": 0, "to": 1}]}"#,
      "sequence[0].speed[0].from: a speed of 0 cannot be played; give a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "pitch": "timeDomain"}"#,
      "sequence[0].pitch: \"timeDomain\" is not known here; choose one of: spectral, varispeed"
    ),
    (
      #"{"clip": "a.mp4", "loudness": 2}"#,
      "sequence[0].loudness: \"loudness\" is not a known key; known here: clip, in, out, duration, volume, speed, pitch, fit"
    ),
    (
      #"{"clip": "a.mp4", "in": 1.5}"#,
      "sequence[0].in: 1.5 is a floating-point number; write the time as \"1.5\" or \"n/d\""
    ),
    (#"{"clip": "a.mp4", "in": -1}"#, "sequence[0].in: -1 is before 0; give 0 or more"),
    (
      #"{"clip": "a.mp4", "in": 5, "out": 5}"#,
      "sequence[0].out: 5 is not after the \"in\", 5; end after the start"
    ),
    (
      #"{"clip": "a.mp4", "out": 5, "duration": 5}"#,
      "sequence[0].duration: there is an \"out\" as well as a \"duration\"; give one of the two"
    ),
    (
      #"{"clip": "a.mp4", "duration": -5}"#,
      "sequence[0].duration: -5 is not a length of time; give a duration above 0"
    ),
    (
      #"{"clip": "a.mp4", "volume": -0.5}"#, "sequence[0].volume: -0.5 is no volume; give 0 or more"
    ),
    (#"{"clip": 7}"#, "sequence[0].clip: 7 is not a string; give a string"),
    (
      #"{"in": 7}"#,
      "sequence[0]: there is neither a \"clip\" nor a \"transition\"; write one of the two"
    ),
    (
      #"{"clip": "a", "transition": "dissolve"}"#,
      "sequence[0]: there is a \"clip\" as well as a \"transition\"; write one of the two"
    ),
    (
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}"#,
      "sequence[1]: no clip comes after the transition: 1 s of handle are missing; put every transition between two clips"
    ),
    (
      #"{"transition": "dissolve", "duration": 1}, {"clip": "a"}"#,
      "sequence[0]: a transition comes before any clip: 1 s of handle are missing; put every transition between two clips"
    ),
    (
      #"{"clip": "a"}, {"transition": "wipe", "duration": 1}, {"transition": "wipe", "duration": 1}, {"clip": "a"}"#,
      "sequence[2]: a transition follows a transition; put every transition between two clips"
    ),
    (
      #"{"clip": "a"}, {"transition": "wipe", "duration": 0}, {"clip": "a"}"#,
      "sequence[1].duration: 0 is not a length of time; give a duration above 0"
    ),
    (
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1, "direction": "left"}, {"clip": "a"}"#,
      "sequence[1].direction: a dissolve has no direction; leave it out"
    ),
    (
      #"{"clip": "a"}, {"transition": "push", "duration": 1, "direction": "north"}, {"clip": "a"}"#,
      "sequence[1].direction: \"north\" is not known here; choose one of: left, right, up, down"
    ),
    (
      #"{"clip": "a"}, {"transition": "cube", "duration": 1}, {"clip": "a"}"#,
      "sequence[1].transition: \"cube\" is not supported yet; choose one of: dissolve, crossDissolve, push, slide, wipe, fade, iris, clockWipe, lumaWipe"
    ),
    (
      #"{"clip": "a"}, {"transition": "iris", "duration": 1, "softness": 1.5}, {"clip": "a"}"#,
      "sequence[1].softness: 1.5 is no softness; give 0 (a hard edge) to 1 (as wide as the whole way)"
    ),
    (
      #"{"clip": "a"}, {"transition": "push", "duration": 1, "softness": 1}, {"clip": "a"}"#,
      "sequence[1].softness: a push has no softness; leave it out"
    ),
    (
      #"{"clip": "a"}, {"transition": "iris", "duration": 1, "map": "w.png"}, {"clip": "a"}"#,
      "sequence[1].map: an iris has no map; leave it out"
    ),
    (
      #"{"clip": "a"}, {"transition": "lumaWipe", "duration": 1}, {"clip": "a"}"#,
      "sequence[1].map: a lumaWipe has no map; name a grey-scale image"
    ),
    (
      #"{"clip": "a", "fit": "stretch"}"#,
      "sequence[0].fit: \"stretch\" is not known here; choose one of: contain, cover, blur"
    ),
    (
      ##"{"clip": "a"}, {"transition": "push", "duration": 1, "color": "#ffffff"}, {"clip": "a"}"##,
      "sequence[1].color: a push has no color; leave it out"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "direction": "up"}, {"clip": "a"}"#,
      "sequence[1].direction: a fade has no direction; leave it out"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "color": "white"}, {"clip": "a"}"#,
      "sequence[1].color: \"white\" is not a colour; write \"#rrggbb\""
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": "bounce"}, {"clip": "a"}"#,
      "sequence[1].easing: \"bounce\" is not known here; write one of linear, easeIn, easeOut, easeInEaseOut, default, or [x1, y1, x2, y2]"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, 1]}, {"clip": "a"}"#,
      "sequence[1].easing: a list of 3 is not a curve; write one of linear, easeIn, easeOut, easeInEaseOut, default, or [x1, y1, x2, y2]"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, "x", 1]}, {"clip": "a"}"#,
      "sequence[1].easing[2]: \"x\" is not a number; give a number"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [-1, 0, 1, 1]}, {"clip": "a"}"#,
      "sequence[1].easing[0]: -1.0 is no time of a control point; give 0 to 1"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, 1, 15]}, {"clip": "a"}"#,
      "sequence[1].easing[3]: 15.0 overshoots out of any picture; give -10 to 10"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "audio": "loud"}, {"clip": "a"}"#,
      "sequence[1].audio: \"loud\" is not known here; choose one of: linear, equalPower"
    ),
    ("", "sequence: there is no clip; add one"),
  ])
  func `a wrong sequence is refused in one line`(items: String, line: String) {
    let text = #"{"version": 1, "sequence": [\#(items)]}"#
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }

  @Test(arguments: [
    ("fadeIn", "-1", "music[0].fadeIn: -1 is below 0; give 0 or more"),
    ("start", "\"-1/2\"", "music[0].start: -1/2 is below 0; give 0 or more"),
    ("loop", "1", "music[0].loop: 1 is not true or false; give true or false"),
    (
      "speed", "\"1/30\"",
      "music[0].speed: a speed of 1/30 cannot be played; give a speed from 1/20 to 100"
    ),
    (
      "duck", "1",
      "music[0].duck: 1 is no ducking; write true, or an object with any of to, threshold, attack, hold, release"
    ),
    (
      "duck", "{\"to\": 2}",
      "music[0].duck.to: 2.0 is no gain to duck to; give 0.001 or more, and less than 1"
    ),
    (
      "duck", "{\"threshold\": 3}",
      "music[0].duck.threshold: 3.0 is no level in decibels; give -100 to 0"
    ),
    (
      "duck", "{\"attack\": -1}",
      "music[0].duck.attack: -1 s cannot be used; give 0 to 60 seconds"
    ),
    (
      "duck", "{\"under\": [3]}",
      "music[0].duck.under: \"under\" is not a known key; known here: to, threshold, attack, hold, release"
    ),
    ("volume", "[]", "music[0].volume: a list is not a number; give a number"),
  ])
  func `wrong music is refused in one line`(key: String, value: String, line: String) {
    let text =
      #"{"version": 1, "sequence": [{"clip": "a"}], "music": [{"clip": "b", "\#(key)": \#(value)}]}"#
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }
}
