import ProjectFormat
import Support
import Testing
import Timeline

/// URLs of assets in project files.
@Suite(.mayBlock) struct AssetURLReadingTests {
  @Test func `both forms of a project can use URLs`() throws {
    let composition = ProjectText.composition(
      assets: #"{"a": {"url": "https://Host/a.mp4"}, "b": {"path": "b.mp4"}}"#)
    let document = try ProjectDocument.parse(Array(composition.utf8))
    let url = try AssetURL("https://host/a.mp4")
    #expect(document.assets == ["a": Asset(url: url), "b": Asset(path: "b.mp4")])
    #expect(document.path(ofAsset: "a") == "assets.a.url")
    guard case .composition(let project) = document else { return }
    #expect(try ProjectDocument.parse(Array(project.json())) == document)
    let sequence = """
      {"version": 1, "sequence": [{"clip": "HTTPS://host/a.mp4"},
         {"transition": "lumaWipe", "duration": 1, "map": "https://host/m.png"}, {"clip": "b.mp4"}],
       "music": [{"clip": "https://host/song.m4a"}],
       "animation": {"layers": [
         {"type": "image", "asset": "https://host/i.png"}, {"type": "video"}]}}
      """
    let assets = try ProjectDocument.parse(Array(sequence.utf8)).assets
    #expect(
      assets.mapValues(\.place) == [
        "HTTPS://host/a.mp4": "https://host/a.mp4", "https://host/m.png": "https://host/m.png",
        "b.mp4": "b.mp4", "https://host/song.m4a": "https://host/song.m4a",
        "https://host/i.png": "https://host/i.png",
      ])
    #expect(assets.values.count { $0.url != nil } == 4)
  }

  @Test(arguments: [
    (
      #"{"clip": "https://a@host/a"}"#,
      "sequence[0].clip: the URL contains a user name or a password"
    ),
    (
      #"{"clip": "a.mp4"}], "animation": {"layers": [{"type": "image", "asset": "https://0/a"}]}, "music": ["#,
      "animation.layers[0].asset: the host \"0\" is neither"
    ),
    (
      #"{"clip": "a.mp4"}], "animation": {"layers": [{"type": "image", "asset": "data:,a"}]}, "music": ["#,
      "animation.layers[0].asset: the protocol \"data:\" is not supported"
    ),
  ])
  func `an invalid URL in a sequence is reported at its path`(clip: String, finding: String) {
    let text = #"{"version": 1, "sequence": [\#(clip)]}"#
    let error = #expect(throws: ProjectError.self) { try ProjectDocument.parse(Array(text.utf8)) }
    #expect(error?.lines.contains { $0.hasPrefix(finding) } == true, "\(error?.lines ?? [])")
  }
}
