import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// Every key of an animation is read and written correctly.
@Suite(.mayBlock) struct AnimationReadingTests {
  private static func text(_ animation: String) -> String {
    ProjectText.composition(
      assets: #"{"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}}"#,
      videoComposition: ProjectText.videoComposition(extra: ", \"animation\": \(animation)"))
  }

  private static let everything = ##"""
    {"layers": [
      {"type": "video", "position": {"x": 960, "y": 540}, "opacity": 0.5, "scale": 0.5},
      {"type": "image", "asset": "logo", "position": {"x": 10, "y": 20},
       "contentsGravity": "resizeAspectFill", "anchorPoint": {"x": 0, "y": 0}, "zPosition": 3, "timeRange": {"start": 1, "duration": 2}},
      {"type": "group", "bounds": {"x": 0, "y": 0, "width": 400, "height": 200},
       "masksToBounds": true, "transform": [1, 0.5, 0, 1, 0, 0], "rotation": 30,
       "layers": [
         {"type": "text", "text": "Hello", "font": {"family": "Serif", "weight": "bold",
          "style": "italic", "size": 40, "tracking": -1.5}, "color": "#ff0000", "alignment": "center",
          "plate": {"color": "#00ff00", "opacity": 0.75, "padding": {"x": 8, "y": 4}, "cornerRadius": 3},
          "outline": {"color": "#000000", "width": 2},
          "shadow": {"color": "#0000ff", "opacity": 0.25, "offset": {"x": 1, "y": 2}, "radius": 5}},
         {"type": "shape", "shape": "rectangle", "cornerRadius": 8, "fillColor": "#112233",
          "strokeColor": "#445566", "lineWidth": 3,
          "bounds": {"x": 0, "y": 0, "width": 100, "height": 50}},
         {"type": "shape", "shape": "path", "path": "M0 0L10-5.5 1e1 20z",
          "fillGradient": {"direction": "up", "stops": [{"color": "#112233"},
            {"color": "#223344", "opacity": 0.25, "at": 0.75}, {"color": "#334455", "opacity": 0}]},
          "bounds": {"x": 0, "y": 0, "width": 100, "height": 50}}]},
      {"type": "solid", "color": "#00ff00", "bounds": {"x": 0, "y": 0, "width": 10, "height": 10},
       "scale": {"x": 2, "y": 3},
       "animations": [
         {"property": "position", "from": {"x": 0, "y": 0}, "to": {"x": 100, "y": 0},
          "beginTime": 1, "duration": "1/2", "repeatCount": "forever", "autoreverses": true,
          "fillMode": "both", "timingFunction": "easeIn"},
         {"property": "scale", "values": [1, {"x": 2, "y": 1}, 1], "keyTimes": [0, 0.25, 1],
          "timingFunctions": ["linear", "easeOut"], "duration": 2, "repeatCount": 2.5},
         {"property": "color", "values": ["#000000", "#ffffff"], "calculationMode": "discrete",
          "keyTimes": [0, 0.5, 1], "duration": 3},
         {"property": "bounds", "from": {"x": 0, "y": 0, "width": 10, "height": 10},
          "to": {"x": 0, "y": 0, "width": 20, "height": 20}, "duration": 1},
         {"property": "rotation", "from": 0, "to": 360, "duration": 1},
         {"property": "opacity", "from": 0, "to": 1, "duration": 1, "fillMode": "backwards"}]},
      {"type": "timecode", "start": "01:00:00;00", "frameRate": "30000/1001", "dropFrame": true,
       "font": {"family": "Monospace", "size": 32}, "color": "#ffff00"}]}
    """##

  @Test func `every key of every layer is read`() throws {
    guard case .composition(let project) = try ProjectText.parse(Self.text(Self.everything)),
      let animation = project.videoComposition?.animation
    else {
      Issue.record("the project has no animation")
      return
    }
    #expect(
      animation.allLayers.map(\.layer.content.kind) == [
        .video, .image, .group, .text, .shape, .shape, .solid, .timecode,
      ])
    let image = animation.layers[1]
    #expect(image.content == .image(asset: "logo") && image.zPosition == 3)
    #expect(image.anchorPoint == LayerPoint(x: 0, y: 0))
    #expect(image.contentsGravity == .resizeAspectFill)
    #expect(image.position == LayerPoint(x: 10, y: 20))
    guard case .group(let inner) = animation.layers[2].content else { return }
    #expect(
      inner[0].content
        == .text(
          TextContent(
            "Hello",
            font: LayerFont(
              family: "Serif", weight: 700, style: .italic, size: 40, tracking: -1.5),
            color: Color(red: 255, green: 0, blue: 0), alignment: .center,
            outline: TextOutline(color: .black, width: 2),
            shadow: LayerShadow(
              color: Color(red: 0, green: 0, blue: 255), opacity: 0.25,
              offset: LayerPoint(x: 1, y: 2), radius: 5),
            plate: TextPlate(
              color: Color(red: 0, green: 255, blue: 0), opacity: 0.75,
              padding: LayerPoint(x: 8, y: 4), cornerRadius: 3))))
    guard case .shape(let path) = inner[2].content else { return }
    #expect(path.gradient?.direction == .up && path.fill == nil)
    #expect(path.gradient?.stops.map(\.place) == [0, 0.75, 1])
    #expect(path.gradient?.stops.map(\.opacity) == [1, 0.25, 0])
    let solid = animation.layers[3]
    #expect(solid.scale == LayerPoint(x: 2, y: 3) && solid.animations.count == 6)
    #expect(solid.animations[0].repeatCount == .infinity && solid.animations[0].autoreverses)
    #expect(solid.animations[1].values[1] == .point(LayerPoint(x: 2, y: 1)))
    #expect(solid.animations[2].isDiscrete)
  }

  @Test func `an animation is written back as it was read`() throws {
    let document = try ProjectText.parse(Self.text(Self.everything))
    guard case .composition(let project) = document else { return }
    #expect(try ProjectDocument.parse(Array(project.json())) == document)
  }

  @Test func `content survives encoding and decoding for another process`() throws {
    guard case .composition(let project) = try ProjectText.parse(Self.text(Self.everything)) else {
      return
    }
    for (_, layer) in project.videoComposition?.animation?.allLayers ?? [] {
      if case .group = layer.content { continue }
      let data = try JSONEncoder().encode(layer.content)
      #expect(try JSONDecoder().decode(LayerContent.self, from: data) == layer.content)
    }
  }

  @Test func `a sequence has an animation whose images are files`() throws {
    let text = #"""
      {"version": 1, "sequence": [{"clip": "a.mp4"}],
       "animation": {"layers": [{"type": "image", "asset": "logo.svg"}]}}
      """#
    let document = try ProjectText.parse(text)
    #expect(Set(document.assets.keys) == ["a.mp4", "logo.svg"])
    #expect(Set(document.media.keys) == ["a.mp4"])
  }

  @Test(arguments: [
    (#"{}"#, "videoComposition.animation.layers: \"layers\" is missing; add it"),
    (
      ##"{"layers": [{"type": "smell"}]}"##,
      "videoComposition.animation.layers[0].type: \"smell\" is not a valid value; choose one of: image, text, shape, solid, group, video, timecode"
    ),
    (
      ##"{"layers": [{"type": "gradient"}]}"##,
      "videoComposition.animation.layers[0].type: \"gradient\" is not supported yet; choose one of: image, text, shape, solid, group, video, timecode"
    ),
    (
      ##"{"layers": [{"type": "image", "asset": "lego"}]}"##,
      "videoComposition.animation.layers[0].asset: there is no asset \"lego\"; known assets: a, logo"
    ),
    (
      ##"{"layers": [{"type": "video"}, {"type": "video"}]}"##,
      "videoComposition.animation.layers[1].type: videoComposition.animation.layers[0] is already a video layer; keep only one video layer"
    ),
    (
      ##"{"layers": [{"type": "solid", "color": "#fff", "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].color: \"#fff\" is not a color; use the form \"#rrggbb\""
    ),
    (
      ##"{"layers": [{"type": "solid", "color": "#ffffff"}]}"##,
      "videoComposition.animation.layers[0].bounds: a solid has no size of its own; add \"bounds\""
    ),
    (
      ##"{"layers": [{"type": "video", "opacity": 2}]}"##,
      "videoComposition.animation.layers[0].opacity: 2.0 is out of range; use a value from 0 to 1"
    ),
    (
      ##"{"layers": [{"type": "video", "mask": 2}]}"##,
      "videoComposition.animation.layers[0].mask: \"mask\" is not supported yet; remove it"
    ),
    (
      ##"{"layers": [{"type": "text", "text": "a", "font": {"size": 0}}]}"##,
      "videoComposition.animation.layers[0].font.size: 0.0 is out of range; use a number of pixels greater than 0 and at most 10000"
    ),
    (
      ##"{"layers": [{"type": "text", "text": "a", "font": {"size": 9, "weight": "fat"}}]}"##,
      "videoComposition.animation.layers[0].font.weight: \"fat\" is not a valid weight; choose one of: thin, ultraLight, light, regular, medium, semibold, bold, heavy, black, or a number from 100 to 1000"
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "path", "path": "M 0 0 X", "fillColor": "#000000", "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].path: \"X\" is not a path command; use SVG path data, e.g. \"M 0 0 L 100 0 L 50 80 Z\""
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "ellipse", "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0]: the shape has neither a \"fillColor\" nor a \"strokeColor\"; add one of them, or both"
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "ellipse", "cornerRadius": 3, "fillColor": "#000000", "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].cornerRadius: \"cornerRadius\" does not apply to an ellipse; remove it"
    ),
    (
      ##"{"layers": [{"type": "text", "text": "a", "font": {"size": 9}, "plate": {"color": "#000000", "padding": {"x": -1, "y": 0}}}]}"##,
      "videoComposition.animation.layers[0].plate.padding.x: -1.0 is out of range; use a value from 0 to 10000"
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "ellipse", "fillGradient": {"stops": [{"color": "#000000"}]}, "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].fillGradient.stops: 1 is not a valid number of stops; use 2 to 32 stops"
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "ellipse", "fillGradient": {"stops": [{"color": "#000000", "at": 0.5}, {"color": "#000000", "at": 0.25}]}, "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].fillGradient.stops[1].at: 0.25 is out of order; use places from 0 to 1 in ascending order"
    ),
    (
      ##"{"layers": [{"type": "shape", "shape": "ellipse", "fillColor": "#000000", "fillGradient": {"stops": [{"color": "#000000"}, {"color": "#ffffff"}]}, "bounds": {"x": 0, "y": 0, "width": 1, "height": 1}}]}"##,
      "videoComposition.animation.layers[0].fillGradient: \"fillColor\" and \"fillGradient\" cannot be used together; remove one of them"
    ),
    (
      ##"{"layers": [{"type": "timecode", "dropFrame": true, "font": {"size": 9}}]}"##,
      "videoComposition.animation.layers[0].dropFrame: drop-frame timecode does not exist at 30 frames per second; remove it, or set \"frameRate\" to \"30000/1001\" or \"60000/1001\""
    ),
    (
      ##"{"layers": [{"type": "timecode", "start": "00:00:00:30", "font": {"size": 9}}]}"##,
      "videoComposition.animation.layers[0].start: \"00:00:00:30\" is not a valid timecode at 30 frames per second; use \"HH:MM:SS:FF\" with FF below 30"
    ),
    (
      ##"{"layers": [{"type": "video", "animations": [{"property": "scale", "duration": 1}]}]}"##,
      "videoComposition.animation.layers[0].animations[0]: the animation has neither \"from\" and \"to\" nor \"values\"; add one or the other"
    ),
    (
      ##"{"layers": [{"type": "video", "animations": [{"property": "rotation", "values": [1, 2], "keyTimes": [0, 2], "duration": 1}]}]}"##,
      "videoComposition.animation.layers[0].animations[0].keyTimes[1]: 2.0 is out of range; use times from 0 to 1 in ascending order"
    ),
    (
      ##"{"layers": [{"type": "video", "animations": [{"property": "rotation", "from": 1, "to": 2, "duration": 0}]}]}"##,
      "videoComposition.animation.layers[0].animations[0].duration: 0 is not a valid duration; use a value greater than 0"
    ),
    (
      ##"{"layers": [{"type": "image", "asset": "logo", "animations": [{"property": "color", "from": "#000000", "to": "#ffffff", "duration": 1}]}]}"##,
      "videoComposition.animation.layers[0].animations[0].property: animating the color of this image is not supported yet; animate the color of a solid, a shape without a stroke, a timecode, or text without an outline, a shadow or a plate"
    ),
    (
      ##"{"layers": [], "track": 1}"##,
      "videoComposition.animation.track: the composition already has a track with the id 1; use a different id"
    ),
    (
      ##"{"layers": [{"type": "video"}], "track": 9}"##,
      "videoComposition.animation.layers[0].type: an animation with a \"track\" cannot have a video layer; remove the layer or the \"track\""
    ),
  ])
  func `an invalid animation is reported with its path, its value and a remedy`(
    animation: String, line: String
  ) {
    #expect(ProjectText.findings(Self.text(animation)).map(\.description).contains(line))
  }

  @Test func `layers may be nested 32 levels deep, whatever is in the deepest one`() throws {
    func nested(_ depth: Int) -> String {
      let leaf = ##"""
        {"type": "shape", "shape": "path", "path": "M0 0L10 5z", "fillColor": "#112233",
         "bounds": {"x": 0, "y": 0, "width": 100, "height": 50},
         "animations": [{"property": "position", "values": [{"x": 0, "y": 0}, {"x": 1, "y": 0}],
          "duration": 1}]}
        """##
      return (1..<depth).reduce(leaf) { layer, _ in
        #"{"type": "group", "layers": [\#(layer)]}"#
      }
    }
    _ = try ProjectDocument.parse(Array(Self.text("{\"layers\": [\(nested(32))]}").utf8))
    let findings = ProjectText.findings(Self.text("{\"layers\": [\(nested(33))]}"))
    #expect(findings.map(\.problem) == ["layers are nested 33 levels deep"])
  }
}
