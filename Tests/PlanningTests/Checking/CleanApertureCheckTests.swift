import Planning
import ProjectFormat
import Support
import Testing
import Timeline

/// A clean aperture is checked against the output's size, if that is known, before anything is rendered.
@Suite(.mayBlock) struct CleanApertureCheckTests {
  private static let path = "export.video.cleanAperture"

  /// A composition of a clip of 720×576, with or without a video composition.
  private static func composition(_ videoComposition: String?, _ export: String) -> String {
    """
    {"version": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": 1, "mediaType": "video", "segments": [
       {"asset": "a", "source": {"start": 0, "duration": 4},
        "target": {"start": 0, "duration": 4}}]}]},
     \(videoComposition.map { #""videoComposition": \#($0), "# } ?? "")
     "export": \(export)}
    """
  }

  private static func videoComposition(_ size: String) -> String {
    """
    {\(size), "frameDuration": "1/25", "instructions": [
      {"timeRange": {"start": 0, "duration": 4}, "layers": [{"track": 1}]}]}
    """
  }

  private static func sequence(_ export: String) -> String {
    #"{"version": 1, "sequence": [{"clip": "a.mp4"}], "export": \#(export)}"#
  }

  private static func aperture(_ text: String, _ more: String = "") -> String {
    #"{\#(more)"video": {"cleanAperture": {\#(text)}}}"#
  }

  private static let scaled = videoComposition(
    #""renderSize": {"width": 1440, "height": 1152}, "renderScale": 0.5"#)

  /// Projects and their findings; the output has 720×576 pixels, except in the last ones.
  private static let projects: [(text: String, lines: [String])] = [
    (sequence(aperture(#""width": 720, "height": 576"#)), []),
    (
      sequence(aperture(#""width": 703, "height": 575, "horizontalOffset": "17/2""#)), []
    ),
    (
      sequence(aperture(#""width": 721, "height": 576"#)),
      ["\(path).width: a width of 721 does not fit in the output, 720×576; use at most 720"]
    ),
    (
      sequence(
        aperture(#""width": 703, "height": 575, "horizontalOffset": 9, "verticalOffset": "-2/3""#)),
      [
        "\(path).horizontalOffset: a width of 703 with an offset of 9 extends beyond the output, 720×576; use a value from -17/2 to 17/2",
        "\(path).verticalOffset: a height of 575 with an offset of -2/3 extends beyond the output, 720×576; use a value from -1/2 to 1/2",
      ]
    ),
    (
      composition(nil, aperture(#""width": 720, "height": 576, "verticalOffset": "1/1000""#)),
      [
        "\(path).verticalOffset: a height of 576 with an offset of 1/1000 extends beyond the output, 720×576; use 0"
      ]
    ),
    (composition(scaled, aperture(#""width": 720, "height": 576"#)), []),
    (
      composition(scaled, aperture(#""width": 720, "height": "1153/2""#)),
      [
        "\(path).height: a height of 1153/2 does not fit in the output, 720×576; use at most 576"
      ]
    ),
    (
      sequence(aperture(#""width": 640, "height": 360"#, #""preset": "lowQuality", "#)),
      ["\(path).width: a width of 640 does not fit in the output, 450×360; use at most 450"]
    ),
    (
      composition(
        videoComposition(#""renderSize": {"width": 1280, "height": 720}"#),
        aperture(#""width": 641, "height": 360"#, #""preset": "lowQuality", "#)),
      ["\(path).width: a width of 641 does not fit in the output, 640×360; use at most 640"]
    ),
  ]

  @Test(arguments: projects)
  func `a clean aperture must lie within the output, whatever decides its size`(
    text: String, lines: [String]
  ) throws {
    let document = try ProjectDocument.parse(Array(text.utf8))
    let name = document.assets.keys.first ?? ""
    let indexes = [
      name: try MediaIndex.clip(
        seconds: RationalTime(4), size: PixelSize(width: 720, height: 576), hasAudio: false)
    ]
    let check = ProjectCheck(document, indexes: indexes, unreadable: [:])
    #expect(check.findings.map(\.description) == lines)
    let project = try document.project(indexes: indexes)
    let digest = try Planned.digest(1)
    do throws(ProjectError) {
      let plan = try Planner.plan(project, indexes: indexes, digests: [name: digest])
      #expect(lines.isEmpty)
      #expect(plan.export.video.cleanAperture == document.export.video.cleanAperture)
    } catch {
      #expect(error.findings.map(\.description) == lines)
    }
  }
}
