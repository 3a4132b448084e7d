import ProjectFormat
import Support
import Testing
import Timeline

/// Each sequence or music clip has one problem, which is reported with its path, its value and a remedy.
@Suite(.mayBlock) struct BadSequenceTests {
  @Test(arguments: [
    (
      #"{"clip": "a.mp4", "speed": 200}"#,
      "sequence[0].speed: a speed of 200 is out of range; use a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": "1/21"}"#,
      "sequence[0].speed: a speed of 1/21 is out of range; use a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": 0}"#,
      "sequence[0].speed: a speed of 0 is out of range; use a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "speed": "fast"}"#,
      "sequence[0].speed: \"fast\" is not a time; use an integer, \"n/d\" or a decimal string such as \"2.5\""
    ),
    (#"{"clip": "a.mp4", "speed": []}"#, "sequence[0].speed: the list is empty; add a piece"),
    (
      #"{"clip": "a.mp4", "speed": [{"speed": 2}, {"speed": 1}]}"#,
      "sequence[0].speed[0].duration: \"duration\" is missing; add it: only the last piece may omit it"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"duration": 0, "speed": 2}, {"speed": 1}]}"#,
      "sequence[0].speed[0].duration: 0 is not a valid duration; use a value greater than 0"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"from": 2}]}"#,
      "sequence[0].speed[0].to: \"to\" is missing; add it"
    ),
    (
      #"{"clip": "a.mp4", "speed": [{"from": 0, "to": 1}]}"#,
      "sequence[0].speed[0].from: a speed of 0 is out of range; use a speed from 1/20 to 100"
    ),
    (
      #"{"clip": "a.mp4", "pitch": "timeDomain"}"#,
      "sequence[0].pitch: \"timeDomain\" is not a valid value; choose one of: spectral, varispeed"
    ),
    (
      #"{"clip": "a.mp4", "loudness": 2}"#,
      "sequence[0].loudness: \"loudness\" is not a known key; known keys: clip, in, out, duration, volume, speed, pitch, fit"
    ),
    (
      #"{"clip": "a.mp4", "in": 1.5}"#,
      "sequence[0].in: 1.5 is a floating-point number; write the time as \"1.5\" or \"n/d\""
    ),
    (#"{"clip": "a.mp4", "in": -1}"#, "sequence[0].in: -1 is negative; use 0 or more"),
    (
      #"{"clip": "a.mp4", "in": 5, "out": 5}"#,
      "sequence[0].out: 5 is not after the \"in\" point, 5; use a later time"
    ),
    (
      #"{"clip": "a.mp4", "out": 5, "duration": 5}"#,
      "sequence[0].duration: \"out\" and \"duration\" cannot be used together; remove one of them"
    ),
    (
      #"{"clip": "a.mp4", "duration": -5}"#,
      "sequence[0].duration: -5 is not a valid duration; use a value greater than 0"
    ),
    (
      #"{"clip": "a.mp4", "volume": 1001}"#,
      "sequence[0].volume: 1001.0 is out of range; use a value from 0 to 1000"
    ),
    (
      #"{"clip": "a.mp4", "volume": -0.5}"#,
      "sequence[0].volume: -0.5 is out of range; use a value from 0 to 1000"
    ),
    (#"{"clip": 7}"#, "sequence[0].clip: 7 is not a string; use a string"),
    (
      #"{"in": 7}"#,
      "sequence[0]: \"clip\" or \"transition\" is missing; add one of them"
    ),
    (
      #"{"clip": "a", "transition": "dissolve"}"#,
      "sequence[0]: \"clip\" and \"transition\" cannot be used together; remove one of them"
    ),
    (
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1}"#,
      "sequence[1]: no clip follows the transition: it needs a clip of at least 1 s after it; put each transition between two clips"
    ),
    (
      #"{"transition": "dissolve", "duration": 1}, {"clip": "a"}"#,
      "sequence[0]: a transition comes before the first clip: it needs a clip of at least 1 s before it; put each transition between two clips"
    ),
    (
      #"{"clip": "a"}, {"transition": "wipe", "duration": 1}, {"transition": "wipe", "duration": 1}, {"clip": "a"}"#,
      "sequence[2]: a transition follows another transition; put each transition between two clips"
    ),
    (
      #"{"clip": "a"}, {"transition": "wipe", "duration": 0}, {"clip": "a"}"#,
      "sequence[1].duration: 0 is not a valid duration; use a value greater than 0"
    ),
    (
      #"{"clip": "a"}, {"transition": "dissolve", "duration": 1, "direction": "left"}, {"clip": "a"}"#,
      "sequence[1].direction: \"direction\" does not apply to a dissolve; remove it"
    ),
    (
      #"{"clip": "a"}, {"transition": "push", "duration": 1, "direction": "north"}, {"clip": "a"}"#,
      "sequence[1].direction: \"north\" is not a valid value; choose one of: left, right, up, down"
    ),
    (
      #"{"clip": "a"}, {"transition": "cube", "duration": 1}, {"clip": "a"}"#,
      "sequence[1].transition: \"cube\" is not supported yet; choose one of: dissolve, crossDissolve, push, slide, wipe, fade, iris, clockWipe, lumaWipe"
    ),
    (
      #"{"clip": "a"}, {"transition": "iris", "duration": 1, "softness": 1.5}, {"clip": "a"}"#,
      "sequence[1].softness: 1.5 is out of range; use a value from 0 (a hard edge) to 1 (as wide as the whole movement)"
    ),
    (
      #"{"clip": "a"}, {"transition": "push", "duration": 1, "softness": 1}, {"clip": "a"}"#,
      "sequence[1].softness: \"softness\" does not apply to a push; remove it"
    ),
    (
      #"{"clip": "a"}, {"transition": "iris", "duration": 1, "map": "w.png"}, {"clip": "a"}"#,
      "sequence[1].map: \"map\" does not apply to an iris; remove it"
    ),
    (
      #"{"clip": "a"}, {"transition": "lumaWipe", "duration": 1}, {"clip": "a"}"#,
      "sequence[1].map: a lumaWipe needs a \"map\"; add the path or URL of a grayscale image"
    ),
    (
      #"{"clip": "a", "fit": "stretch"}"#,
      "sequence[0].fit: \"stretch\" is not a valid value; choose one of: contain, cover, blur"
    ),
    (
      ##"{"clip": "a"}, {"transition": "push", "duration": 1, "color": "#ffffff"}, {"clip": "a"}"##,
      "sequence[1].color: \"color\" does not apply to a push; remove it"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "direction": "up"}, {"clip": "a"}"#,
      "sequence[1].direction: \"direction\" does not apply to a fade; remove it"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "color": "white"}, {"clip": "a"}"#,
      "sequence[1].color: \"white\" is not a color; use the form \"#rrggbb\""
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": "bounce"}, {"clip": "a"}"#,
      "sequence[1].easing: \"bounce\" is not a valid curve; use one of linear, easeIn, easeOut, easeInEaseOut, default, or [x1, y1, x2, y2]"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, 1]}, {"clip": "a"}"#,
      "sequence[1].easing: a list of 3 values is not a valid curve; use one of linear, easeIn, easeOut, easeInEaseOut, default, or [x1, y1, x2, y2]"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, "x", 1]}, {"clip": "a"}"#,
      "sequence[1].easing[2]: \"x\" is not a number; use a number"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [-1, 0, 1, 1]}, {"clip": "a"}"#,
      "sequence[1].easing[0]: the time of a control point, -1.0, is out of range; use a value from 0 to 1"
    ),
    (
      #"{"clip": "a"}, {"transition": "slide", "duration": 1, "easing": [0, 0, 1, 15]}, {"clip": "a"}"#,
      "sequence[1].easing[3]: the progress of a control point, 15.0, is out of range; use a value from -10 to 10"
    ),
    (
      #"{"clip": "a"}, {"transition": "fade", "duration": 1, "audio": "loud"}, {"clip": "a"}"#,
      "sequence[1].audio: \"loud\" is not a valid value; choose one of: linear, equalPower"
    ),
    ("", "sequence: the sequence is empty; add a clip"),
  ])
  func `an invalid sequence is rejected with one finding`(items: String, line: String) {
    let text = #"{"version": 1, "sequence": [\#(items)]}"#
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }

  @Test(arguments: [
    ("fadeIn", "-1", "music[0].fadeIn: -1 is negative; use 0 or more"),
    ("start", "\"-1/2\"", "music[0].start: -1/2 is negative; use 0 or more"),
    ("loop", "1", "music[0].loop: 1 is not true or false; use true or false"),
    (
      "speed", "\"1/30\"",
      "music[0].speed: a speed of 1/30 is out of range; use a speed from 1/20 to 100"
    ),
    (
      "duck", "1",
      "music[0].duck: 1 is not a valid value; use true, false, or an object with any of these keys: \"to\", \"threshold\", \"attack\", \"hold\", \"release\""
    ),
    (
      "duck", "{\"to\": 2}",
      "music[0].duck.to: 2.0 is out of range; use a gain of at least 0.001 and less than 1"
    ),
    (
      "duck", "{\"threshold\": 3}",
      "music[0].duck.threshold: 3.0 dB is out of range; use a value from -100 to 0"
    ),
    (
      "duck", "{\"attack\": -1}",
      "music[0].duck.attack: -1 s is out of range; use 0 to 60 seconds"
    ),
    (
      "duck", "{\"under\": [3]}",
      "music[0].duck.under: \"under\" is not a known key; known keys: to, threshold, attack, hold, release"
    ),
    ("volume", "[]", "music[0].volume: a list is not a number; use a number"),
  ])
  func `invalid music is rejected with one finding`(key: String, value: String, line: String) {
    let text =
      #"{"version": 1, "sequence": [{"clip": "a"}], "music": [{"clip": "b", "\#(key)": \#(value)}]}"#
    #expect(ProjectText.findings(text).map(\.description) == [line])
  }
}
