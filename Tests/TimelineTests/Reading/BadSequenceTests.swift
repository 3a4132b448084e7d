import Testing
import Timeline

/// Each sequence or piece of music is wrong in one thing, which is reported with its path, its value and a remedy.
struct BadSequenceTests {
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
      #"{"clip": "a.mp4", "volume": 1001}"#,
      "sequence[0].volume: 1001.0 is no volume; give 0 to 1000"
    ),
    (
      #"{"clip": "a.mp4", "volume": -0.5}"#, "sequence[0].volume: -0.5 is no volume; give 0 to 1000"
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
      "sequence[1].color: \"white\" is not a color; write \"#rrggbb\""
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
