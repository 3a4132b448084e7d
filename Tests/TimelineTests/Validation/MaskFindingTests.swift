import Testing
import Timeline

struct MaskFindingTests {
  @Test(arguments: [
    (
      #""mask": {"softness": 0}"#,
      "mask: there is neither a \"shape\" nor a \"map\"; give a shape (circle, clock, edge), or the name of an asset as \"map\""
    ),
    (
      #""mask": {"shape": "circle", "map": "a"}"#,
      "mask: there is a \"shape\" as well as a \"map\"; give one of the two"
    ),
    (
      #""mask": {"shape": "star"}"#,
      "mask.shape: \"star\" is not known here; choose one of: circle, clock, edge"
    ),
    (#""mask": {"shape": "edge"}"#, "mask.direction: \"direction\" is missing; add it"),
    (
      #""mask": {"shape": "edge", "direction": "in"}"#,
      "mask.direction: \"in\" is not known here; choose one of: left, right, up, down"
    ),
    (
      #""mask": {"shape": "clock", "direction": "left"}"#,
      "mask.direction: a clock has no direction; leave it out"
    ),
    (#""mask": {"map": "b"}"#, "mask.map: there is no asset \"b\"; known assets: a"),
    (
      #""mask": {"shape": "circle", "softness": -0.1}"#,
      "mask.softness: -0.1 is no softness; give 0 (a hard edge) to 1 (as wide as the whole way)"
    ),
    (
      #""mask": {"shape": "circle", "progress": [{"at": 0, "value": 2}]}"#,
      "mask.progress[0].value: 2.0 is no progress; give 0 to 1"
    ),
    (
      #""mask": {"shape": "circle", "progress": [{"at": 5, "value": 1}, {"at": 4, "value": 0}]}"#,
      "mask.progress[1].at: 4 runs back before 5; list steps and ramps in the order of time"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}}"#,
      "backdrop: there is neither a \"blur\" nor a \"color\"; give the blur's standard deviation in pixels, or a color"
    ),
    (
      ##""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}, "blur": 1, "color": "#000000"}"##,
      "backdrop: there is a \"blur\" as well as a \"color\"; give one of the two"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 9}, "blur": 0}"#,
      "backdrop.blur: 0.0 is no standard deviation of a blur; give a number above 0 and up to 10000"
    ),
    (
      ##""backdrop": {"rect": {"x": 0, "y": 0, "width": 0, "height": 9}, "color": "#000000"}"##,
      "backdrop.rect: 0.0 × 9.0 is no size of a backdrop; give sides of a pixel or more"
    ),
    (
      #""backdrop": {"rect": {"x": 0, "y": 0, "width": 9, "height": 0.999}, "blur": 10000}"#,
      "backdrop.rect: 9.0 × 0.999 is no size of a backdrop; give sides of a pixel or more"
    ),
    (
      ##""backdrop": {"rect": {"x": 1e9, "y": 0, "width": 1, "height": 9}, "color": "#000000"}"##,
      "backdrop.rect: 1000000000.0 is out of range; give numbers from -1000000 to 1000000"
    ),
  ])
  func `a wrong mask or backdrop is refused in one line`(members: String, line: String) {
    let text = ProjectText.composition(
      videoComposition: ProjectText.videoComposition(
        layers: #"[{"track": 1, \#(members)}]"#))
    #expect(
      ProjectText.findings(text).map(\.description) == [
        "videoComposition.instructions[0].layers[0].\(line)"
      ])
  }
}
