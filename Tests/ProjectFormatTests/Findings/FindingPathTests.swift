import Foundation
import ProjectFormat
import Support
import Testing

@Suite(.mayBlock) struct FindingPathTests {
  private static let number = 2
  private static let segment: FindingPath = "composition.tracks[0].segments[\(number)]"

  @Test func `a path is shown with keys, indexes and quoted names`() {
    #expect(Self.segment.description == "composition.tracks[0].segments[2]")
    let (odd, plain) = ("my key.mp4", "a-b_1")
    let asset: FindingPath = "assets.\(odd)"
    #expect(asset.description == "assets[\"my key.mp4\"]")
    #expect(asset == "assets[\"my key.mp4\"]")
    let export: FindingPath = "export.video.options.\(plain)"
    #expect(export.description == "export.video.options.a-b_1")
    let whole: FindingPath = ""
    #expect(whole.description.isEmpty)
    let member: FindingPath = "\(whole).\(plain)"
    #expect(member == "a-b_1")
  }

  @Test func `a path is within the paths of the values around it`() {
    let source: FindingPath = "\(Self.segment).source"
    #expect(source.isWithin(source))
    #expect(source.isWithin(Self.segment))
    #expect(source.isWithin("composition.tracks"))
    #expect(!Self.segment.isWithin(source))
    #expect(!source.isWithin("composition.tracks[0].segments[20]"))
    #expect(!source.isWithin("composition.track"))
    #expect(source.ends(in: "source"))
    #expect(!source.ends(in: "ource"))
  }

  @Test(
    arguments: [
      ("", []), ("composition.tracks[0].duration", ["composition", "tracks", 0, "duration"]),
      ("export.video.options.\("a\"].b[0]")", ["export", "video", "options", "a\"].b[0]"]),
      ("assets.\("0")", ["assets", "0"]),
    ] as [(FindingPath, [any Hashable & Sendable])])
  func `a path is encoded by its steps and decoded unchanged`(
    path: FindingPath, steps: [any Hashable & Sendable]
  ) throws {
    let finding = Finding(path: path, problem: "p", remedy: "r", mentions: [path])
    let encoded = try JSONEncoder().encode(finding)
    let object = try #require(JSONSerialization.jsonObject(with: encoded) as? [String: Any])
    #expect((object["path"] as? [AnyHashable]) == steps.map { AnyHashable($0) })
    #expect(try JSONDecoder().decode(Finding.self, from: encoded) == finding)
  }

  @Test func `the place of a syntax error is encoded and decoded unchanged`() throws {
    let error = try #require(throws: ProjectError.self) { try ProjectText.parse("{\n  ]") }
    let decoded = try JSONDecoder().decode(
      ProjectError.self, from: try JSONEncoder().encode(error))
    #expect(decoded == error)
    #expect(decoded.findings.first?.path.description == "line 2, column 3")
  }
}
