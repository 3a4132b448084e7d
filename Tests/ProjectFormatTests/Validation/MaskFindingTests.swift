import ProjectFormat
import Support
import Testing
import Timeline

@Suite(.mayBlock) struct MaskFindingTests {
  @Test(arguments: [
    (
      #""mask": {"softness": 0}"#,
      "mask: \"shape\" or \"map\" is missing; add a shape (circle, clock, edge), or the name of an asset as \"map\""
    ),
    (
      #""mask": {"shape": "circle", "map": "a"}"#,
      "mask: \"shape\" and \"map\" cannot be used together; remove one of them"
    ),
    (
      #""mask": {"shape": "star"}"#,
      "mask.shape: \"star\" is not a valid value; choose one of: circle, clock, edge"
    ),
    (#""mask": {"shape": "edge"}"#, "mask.direction: \"direction\" is missing; add it"),
    (
      #""mask": {"shape": "edge", "direction": "in"}"#,
      "mask.direction: \"in\" is not a valid value; choose one of: left, right, up, down"
    ),
    (
      #""mask": {"shape": "clock", "direction": "left"}"#,
      "mask.direction: \"direction\" does not apply to a clock; remove it"
    ),
    (#""mask": {"map": "b"}"#, "mask.map: there is no asset \"b\"; known assets: a"),
    (
      #""mask": {"shape": "circle", "softness": -0.1}"#,
      "mask.softness: -0.1 is out of range; use a value from 0 (a hard edge) to 1 (as wide as the whole movement)"
    ),
    (
      #""mask": {"shape": "circle", "progress": [{"at": 0, "value": 2}]}"#,
      "mask.progress[0].value: 2.0 is out of range; use a value from 0 to 1"
    ),
    (
      #""mask": {"shape": "circle", "progress": [{"at": 5, "value": 1}, {"at": 4, "value": 0}]}"#,
      "mask.progress[1].at: 4 is earlier than 5, which precedes it; list steps and ramps in chronological order"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}}"#,
      "backdrop: \"blur\" or \"color\" is missing; add a \"blur\" (its standard deviation in pixels) or a \"color\""
    ),
    (
      ##""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}, "blur": 1, "color": "#000000"}"##,
      "backdrop: \"blur\" and \"color\" cannot be used together; remove one of them"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}, "blur": 0}"#,
      "backdrop.blur: 0.0 is out of range; use a standard deviation greater than 0 and at most 10000 pixels"
    ),
    (
      ##""backdrop": {"rect": {"x": 0, "y": 0, "width": 0, "height": 9}, "color": "#000000"}"##,
      "backdrop.rect: 0.0 × 9.0 is too small for a backdrop; use a width and a height of at least 1"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 0.999}, "blur": 10000}"#,
      "backdrop.rect: 9.0 × 0.999 is too small for a backdrop; use a width and a height of at least 1"
    ),
    (
      ##""backdrop": {"rect": {"x": 1e9, "y": 0, "width": 1, "height": 9}, "color": "#000000"}"##,
      "backdrop.rect: 1000000000.0 is out of range; use a number from -1000000 to 1000000"
    ),
  ])
  func `an invalid mask or backdrop is rejected with one finding`(members: String, line: String) {
    let text = ProjectText.composition(
      videoComposition: ProjectText.videoComposition(
        layers: #"[{"track": 1, \#(members)}]"#))
    #expect(
      ProjectText.findings(text).map(\.description) == [
        "videoComposition.instructions[0].layers[0].\(line)"
      ])
  }
}
