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

  @Test(arguments: [
    "", "project", "composition.tracks[0].segments[2].source.duration", "assets[\"my key\"].path",
    "line 3, column 14", "a..b", "a[", "[x]", "[0]", "é.b",
  ])
  func `the text of a path is encoded and decoded unchanged`(text: String) throws {
    let finding = #"{"path": \#(try json(text)), "problem": "p", "remedy": "r"}"#
    let decoded = try JSONDecoder().decode(Finding.self, from: Data(finding.utf8))
    #expect(decoded.path.description == text)
    let again = try JSONDecoder().decode(Finding.self, from: JSONEncoder().encode(decoded))
    #expect(again == decoded)
  }

  private func json(_ text: String) throws -> String {
    String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
  }
}
