import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// Relative lengths of layers become pixels.
@Suite(.mayBlock) struct LayerLengthTests {
  private static func composition(_ animation: String, width: Int = 1920, height: Int = 1080)
    -> String
  {
    ProjectText.composition(
      videoComposition: ProjectText.videoComposition(
        renderSize: "{\"width\": \(width), \"height\": \(height)}",
        extra: ", \"animation\": \(animation)"))
  }

  /// The first layer of an animation in a frame.
  private static func layer(_ animation: String, width: Int = 1920, height: Int = 1080) throws
    -> AnimationLayer
  {
    guard
      case .composition(let project) = try ProjectText.parse(
        composition(animation, width: width, height: height))
    else { throw CocoaError(.featureUnsupported) }
    return try #require(project.videoComposition?.animation?.layers.first)
  }

  private static func solid(_ keys: String, tree: String = "") -> String {
    ##"{\##(tree)"layers": [{"type": "solid", "color": "#ffffff", \##(keys)}]}"##
  }

  private static let bounds = #""bounds": {"x": 0, "y": 0, "width": 10, "height": 10}"#

  @Test(arguments: [
    ("50%", "25%", LayerPoint(x: 960, y: 270)),
    ("5vmin", "5vmin", LayerPoint(x: 54, y: 54)),
    ("100% - 12", "100% - 5vmin + 2", LayerPoint(x: 1908, y: 1028)),
    ("100/3%", "-1.5vmin", LayerPoint(x: 640, y: -16)),
    ("0 - 100%", "12", LayerPoint(x: -1920, y: 12)),
    ("1/3", "2.5", LayerPoint(x: 1.0 / 3, y: 2.5)),
  ])
  func `a position is a sum of parts of the frame`(x: String, y: String, point: LayerPoint) throws {
    let layer = try Self.layer(
      Self.solid("\(Self.bounds), \"position\": {\"x\": \"\(x)\", \"y\": \"\(y)\"}"))
    #expect(layer.position == point)
  }

  @Test(arguments: [
    ("none", LayerPoint(x: 0, y: 1080)), ("action", LayerPoint(x: 67, y: 1042)),
    ("title", LayerPoint(x: 96, y: 1026)),
  ])
  func `percentages of positions are measured in the safe area`(
    area: String, point: LayerPoint
  ) throws {
    let position = "\(Self.bounds), \"position\": {\"x\": \"0%\", \"y\": \"100%\"}"
    let inTree = try Self.layer(Self.solid(position, tree: "\"safeArea\": \"\(area)\", "))
    let inLayer = try Self.layer(Self.solid("\"safeArea\": \"\(area)\", \(position)"))
    #expect(inTree.position == point)
    #expect(inLayer.position == point)
  }

  @Test func `a group passes its safe area on, and a layer may set another one`() throws {
    let inner = { (area: String) in
      ##"{"type": "solid", "color": "#ffffff", \##(area)\##(Self.bounds), "position": {"x": "0%", "y": "0%"}}"##
    }
    let group = try Self.layer(
      #"{"layers": [{"type": "group", "safeArea": "title", "layers": [\#(inner("")), \#(inner(#""safeArea": "none", "#))]}]}"#
    )
    guard case .group(let layers) = group.content else { return }
    #expect(layers.map(\.position) == [LayerPoint(x: 96, y: 54), LayerPoint(x: 0, y: 0)])
  }

  @Test func `widths and heights are parts of the safe area, whole and at least one pixel`() throws
  {
    let layer = try Self.layer(
      Self.solid(
        #""safeArea": "title", "bounds": {"x": "10%", "y": 0, "width": "50%", "height": "0.01vmin"}"#
      ))
    #expect(layer.bounds == PixelRect(x: 173, y: 0, width: 864, height: 1))
  }

  @Test(arguments: [(1920, 1080, 54.0), (1080, 1920, 54), (640, 360, 18), (3840, 2160, 108)])
  func `sizes of text follow the smaller side, and ems the size of the text`(
    width: Int, height: Int, size: Double
  ) throws {
    let layer = try Self.layer(
      ##"""
      {"layers": [{"type": "text", "text": "a", "position": {"x": "1em", "y": "50% - 0.5em"},
        "font": {"size": "5vmin", "tracking": "0.1em"}, "outline": {"color": "#000000", "width": "5%"},
        "shadow": {"radius": "0.5em", "offset": {"x": 0, "y": "0.25em"}},
        "plate": {"color": "#000000", "padding": {"x": "1em", "y": "0.5em"}, "cornerRadius": "0.25em"}}]}
      """##, width: width, height: height)
    guard case .text(let text) = layer.content else { return }
    #expect(text.font.size == size)
    #expect(text.font.tracking == 0.1 * size)
    #expect(text.outline?.width == size)
    #expect(text.shadow?.radius == size / 2)
    #expect(text.shadow?.offset == LayerPoint(x: 0, y: size / 4))
    #expect(text.plate?.padding == LayerPoint(x: size, y: size / 2))
    #expect(text.plate?.cornerRadius == size / 4)
    #expect(layer.position == LayerPoint(x: size, y: Double(height) / 2 - size / 2))
  }

  @Test func `animated positions and bounds are relative, too`() throws {
    let layer = try Self.layer(
      Self.solid(
        #"""
        \#(Self.bounds), "animations": [
          {"property": "position", "from": {"x": "-50%", "y": 0}, "to": {"x": "50%", "y": 0}, "duration": 1},
          {"property": "bounds", "values": [{"x": 0, "y": 0, "width": "50%", "height": "50%"}], "duration": 1}]
        """#))
    #expect(
      layer.animations.map(\.values) == [
        [.point(LayerPoint(x: -960, y: 0)), .point(LayerPoint(x: 960, y: 0))],
        [.rect(PixelRect(x: 0, y: 0, width: 960, height: 540))],
      ])
  }

  @Test func `a composition with relative lengths is written with pixels`() throws {
    let text = Self.composition(
      Self.solid(#"\#(Self.bounds), "position": {"x": "50%", "y": "50%"}"#))
    guard case .composition(let project) = try ProjectText.parse(text) else { return }
    let json = try project.json()
    #expect(!String(decoding: json, as: UTF8.self).contains("%"))
    #expect(try ProjectDocument.parse(Array(json)) == .composition(project))
  }

  @Test(arguments: [
    PixelSize(width: 640, height: 360), PixelSize(width: 1920, height: 1080),
    PixelSize(width: 1080, height: 1920), PixelSize(width: 3840, height: 2160),
  ])
  func `the lengths of a sequence are relative to its output`(size: PixelSize) throws {
    let text = ##"""
      {"version": 1, "sequence": [{"clip": "a.mp4"}], "export": {"preset": "highestQuality"},
       "animation": {"layers": [{"type": "text", "text": "a", "font": {"size": "10%"},
         "position": {"x": "50%", "y": "100% - 1em"}}]}}
      """##
    guard case .sequence(let sequence) = try ProjectText.parse(text) else { return }
    let index = try MediaIndex.clip(seconds: RationalTime(4), size: size)
    let layer = try #require(
      try sequence.expanded(indexes: ["a.mp4": index]).videoComposition?.animation?.layers.first)
    let font = Double(min(size.width, size.height)) / 10
    #expect(
      layer.position == LayerPoint(x: Double(size.width) / 2, y: Double(size.height) - font))
    guard case .text(let text) = layer.content else { return }
    #expect(text.font.size == font)
  }

  @Test func `an animation that a program sets replaces the one in the file`() throws {
    let text = ##"""
      {"version": 1, "sequence": [{"clip": "a.mp4"}],
       "animation": {"layers": [{"type": "text", "text": "a", "font": {"size": "10%"}}]}}
      """##
    guard case .sequence(var sequence) = try ProjectText.parse(text) else { return }
    sequence.animation = Animation(layers: [])
    let index = try MediaIndex.clip(seconds: RationalTime(4))
    let project = try sequence.expanded(indexes: ["a.mp4": index])
    #expect(project.videoComposition?.animation?.layers == [])
  }

  @Test(arguments: [
    (
      #""position": {"x": "wide", "y": 0}"#,
      #"position.x: "wide" is not a length; use pixels, or a length such as "50%", "5vmin", "2em" or "100% - 2em""#
    ),
    (
      #""position": {"x": "50 %", "y": 0}"#,
      #"position.x: "50 %" is not a length; use pixels, or a length such as "50%", "5vmin", "2em" or "100% - 2em""#
    ),
    (
      #""position": {"x": "2em", "y": 0}"#,
      #"position.x: "2em" refers to a font size, and there is none; use "%", "vmin" or pixels here"#
    ),
    (
      #""position": {"x": "0.000000000000000001% + 1/7919%", "y": 0}"#,
      #"position.x: "0.000000000000000001% + 1/7919%" is too long or too precise; use a simpler length"#
    ),
    (
      #""position": {"x": "99999999%", "y": 0}"#,
      "position.x: 1919999981.0 is out of range; use a number from -1000000 to 1000000"
    ),
    (
      #""safeArea": "small""#,
      #"safeArea: "small" is not a valid value; choose one of: none, action, title"#
    ),
  ])
  func `an invalid length is reported with its place`(keys: String, finding: String) {
    let text = Self.composition(Self.solid("\(Self.bounds), \(keys)"))
    #expect(
      ProjectText.findings(text).map(\.description)
        == ["videoComposition.animation.layers[0].\(finding)"])
  }

  @Test func `the size of a font cannot be relative to itself`() {
    let text = Self.composition(
      #"{"layers": [{"type": "text", "text": "a", "font": {"size": "2em"}}]}"#)
    #expect(
      ProjectText.findings(text).map(\.description) == [
        #"videoComposition.animation.layers[0].font.size: "2em" refers to a font size, and there is none; use "%", "vmin" or pixels here"#
      ])
  }
}
