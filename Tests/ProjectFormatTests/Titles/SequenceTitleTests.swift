import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// Titles are expanded into layers.
@Suite(.mayBlock) struct SequenceTitleTests {
  private static let sizes = [
    PixelSize(width: 640, height: 360), PixelSize(width: 1920, height: 1080),
    PixelSize(width: 1080, height: 1920), PixelSize(width: 3840, height: 2160),
  ]

  private static func text(_ titles: String, animation: String = "") -> String {
    #"{"version": 1, "sequence": [{"clip": "a.mp4"}], \#(animation)"titles": [\#(titles)]}"#
  }

  /// The project of titles over a clip of 20 seconds.
  private static func project(
    _ titles: String, size: PixelSize = PixelSize(width: 1920, height: 1080)
  ) throws -> Project {
    guard case .sequence(let sequence) = try ProjectText.parse(text(titles)) else {
      throw CocoaError(.featureUnsupported)
    }
    let indexes = ["a.mp4": try MediaIndex.clip(seconds: RationalTime(20), size: size)]
    let project = try sequence.expanded(indexes: indexes)
    #expect(project.findings(indexes: indexes) == [])
    return project
  }

  private static func texts(of layers: [AnimationLayer]) -> [TextContent] {
    Animation(layers: layers).allLayers.compactMap {
      if case .text(let text) = $0.layer.content { text } else { nil }
    }
  }

  @Test(arguments: SequenceTitle.Template.allCases, SequenceTitle.Style.allCases)
  func `every template has layers in every style and at every size`(
    template: SequenceTitle.Template, style: SequenceTitle.Style
  ) throws {
    let second = [.credits, .cornerBug].contains(template) ? "" : #", "subtitle": "Second""#
    for size in Self.sizes {
      let project = try Self.project(
        #"{"title": "\#(template.rawValue)", "style": "\#(style.rawValue)", "text": "Role: First"\#(second), "at": 3, "duration": 6}"#,
        size: size)
      let group = try #require(project.videoComposition?.animation?.layers.first)
      #expect(group.timeRange == (try TimeRange(start: RationalTime(3), duration: RationalTime(6))))
      guard case .group(let layers) = group.content else { return }
      let texts = Self.texts(of: layers)
      // A text with an accent bar is there twice.
      #expect(Set(texts.map(\.text)).count == (template == .cornerBug ? 1 : 2))
      #expect(texts.allSatisfy { !$0.text.contains("{") && $0.font.size >= 9 })
      // Nothing but markers of known kinds is in the templates.
      let json = String(decoding: try project.json(), as: UTF8.self)
      #expect(!json.contains("{text") && !json.contains("vmin"))
      #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
      for layer in Animation(layers: layers).allLayers.map(\.layer) {
        for animation in layer.animations {
          #expect(animation.beginTime >= RationalTime(3))
          #expect(try animation.beginTime + animation.duration <= RationalTime(9))
        }
      }
    }
  }

  @Test func `entrances keep their distance from the start, and exits from the end`() throws {
    let project = try Self.project(
      #"{"title": "lower-third", "text": "Ada", "at": 10, "duration": 2}"#)
    guard case .group(let layers) = project.videoComposition?.animation?.layers.first?.content,
      let name = layers.last
    else { return }
    #expect(
      try name.animations.map(\.beginTime) == [
        RationalTime("10.1"), RationalTime("11.6"), RationalTime("10.1"),
      ])
  }

  @Test
  func `a title without a duration lasts until the end, and one without a subtitle has one text`()
    throws
  {
    let project = try Self.project(#"{"title": "corner-bug", "text": "Live", "at": 4}"#)
    #expect(
      project.videoComposition?.animation?.layers.first?.timeRange
        == (try TimeRange(start: RationalTime(4), duration: RationalTime(16))))
    let third = try Self.project(#"{"title": "lower-third", "style": "broadcast", "text": "Ada"}"#)
    #expect(
      Set(Self.texts(of: third.videoComposition?.animation?.layers ?? []).map(\.text)) == ["Ada"])
  }

  @Test func `credits have a column of roles and a column of names with the same lines`() throws {
    let project = try Self.project(
      #"{"title": "credits", "text": "Directed by: A. Harvester\n\nSound : C. Thresher\nD. Binder"}"#
    )
    let texts = Self.texts(of: project.videoComposition?.animation?.layers ?? []).map(\.text)
    #expect(
      texts == [
        "Directed by\n\u{a0}\nSound\n\u{a0}", "A. Harvester\n\u{a0}\nC. Thresher\nD. Binder",
      ])
  }

  @Test func `long lines are set in smaller letters`() throws {
    let long = String(repeating: "Lovelace ", count: 12)
    let project = try Self.project(
      #"{"title": "lower-third", "text": "\#(long)"}"#, size: Self.sizes[2])
    guard case .group(let layers) = project.videoComposition?.animation?.layers.first?.content
    else { return }
    guard case .text(let name) = layers.last?.content else { return }
    let usual = 0.054 * 1080
    #expect(name.font.size < usual / 2 && name.font.size > usual / 10)
  }

  @Test func `a plate keeps its padding if its letters are smaller`() throws {
    func plated(_ text: String) throws -> TextContent {
      let project = try Self.project(
        #"{"title": "lower-third", "style": "editorial", "text": "\#(text)"}"#)
      let texts = Self.texts(of: project.videoComposition?.animation?.layers ?? [])
      return try #require(texts.first)
    }
    let (short, long) = (try plated("Ada"), try plated(String(repeating: "Ada ", count: 40)))
    #expect(long.font.size < short.font.size)
    #expect(long.plate == short.plate)
  }

  @Test func `a second line of the title moves the text below it down`() throws {
    func bottom(_ text: String) throws -> Double {
      let project = try Self.project(
        #"{"title": "opener", "text": "\#(text)", "subtitle": "c"}"#)
      guard case .group(let layers) = project.videoComposition?.animation?.layers.first?.content
      else { return 0 }
      return try #require(layers.last?.position).y
    }
    let moved = try bottom(#"a\nb"#) - bottom("a")
    // Both positions are rounded to whole pixels.
    #expect(abs(moved - 0.082 * 1080) < 1)
  }

  @Test(arguments: [("#c8102e", "#ffffff"), ("#ffd23f", "#000000"), ("#1f5fdd", "#ffffff")])
  func `letters on the accent color contrast with it`(accent: String, letters: String) throws {
    let project = try Self.project(
      #"{"title": "corner-bug", "style": "broadcast", "text": "Live", "color": "\#(accent)", "font": "DejaVu Sans"}"#
    )
    let texts = Self.texts(of: project.videoComposition?.animation?.layers ?? [])
    let text = try #require(texts.first)
    #expect(text.text == "LIVE" && text.font.family == "DejaVu Sans")
    #expect(text.plate?.color == Color(accent) && text.color == Color(letters))
  }

  @Test(arguments: [
    (
      #"{"title": "lower-fourth", "text": "a"}"#,
      #"titles[0].title: "lower-fourth" is not a valid value; choose one of: lower-third, opener, chapter, end-card, credits, corner-bug"#
    ),
    (#"{"title": "opener"}"#, #"titles[0].text: "text" is missing; add it"#),
    (
      #"{"title": "opener", "text": " "}"#,
      "titles[0].text: the text is empty; use 1 to 10000 bytes of text"
    ),
    (
      #"{"title": "corner-bug", "text": "a", "subtitle": "b"}"#,
      #"titles[0].subtitle: "subtitle" does not apply to "corner-bug"; remove it"#
    ),
    (
      #"{"title": "opener", "text": "a", "duration": 1}"#,
      "titles[0].duration: 1 s is too short for a title; use at least 2 s"
    ),
    (
      #"{"title": "opener", "text": "a", "at": -1}"#,
      "titles[0].at: -1 is negative; use 0 or more"
    ),
    (
      #"{"title": "opener", "text": "a", "font": "A, B"}"#,
      #"titles[0].font: "A, B" is not a valid font family; use the name of one installed family"#
    ),
    (
      #"{"title": "opener", "text": "a", "logo": "b.svg"}"#,
      #"titles[0].logo: "logo" is not supported yet; remove it"#
    ),
  ])
  func `an invalid title is reported with its place`(title: String, finding: String) {
    #expect(ProjectText.findings(Self.text(title)).map(\.description) == [finding])
  }

  @Test func `a finding about a layer of a title names the title`() throws {
    let text = Self.text(
      #"{"title": "opener", "text": "a"}, {"title": "opener", "text": "b", "font": "Nothing"}"#,
      animation:
        #""animation": {"layers": [{"type": "text", "text": "a", "font": {"size": 9}}]}, "#)
    let document = try ProjectText.parse(text)
    func moved(_ path: FindingPath) -> String {
      document.titled(Finding(path: path, problem: "p", remedy: "r")).path.description
    }
    #expect(moved("animation.layers[0].font.family") == "animation.layers[0].font.family")
    #expect(moved("animation.layers[2].layers[1].font.family") == "titles[1].font")
    #expect(moved("animation.layers[1].layers[0].text") == "titles[0].text")
    #expect(moved("animation.layers[1]") == "titles[0]")
  }
}
