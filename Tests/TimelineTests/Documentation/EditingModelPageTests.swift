import Foundation
import Support
import Testing
import Timeline

/// docs/editing-model.md names tests that are there, and every error code.
@Suite(.mayBlock) struct EditingModelPageTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The page's section on composition editing.
  private static func section() throws -> String {
    let root = tests.deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "docs/editing-model.md"), encoding: .utf8)
    let section = page.components(separatedBy: "\n## ").first {
      $0.hasPrefix("Composition editing\n")
    }
    return try #require(section)
  }

  @Test func `every row of the table names an existing test`() throws {
    let folder = Self.tests.appending(path: "Editing")
    let sources = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    )
    .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let rows = try Self.section().split(separator: "\n").map { $0.split(separator: "|") }
      .filter { $0.count == 4 }.dropFirst(2)
    #expect(rows.count == 25)
    for row in rows {
      let name = row[3].trimmingCharacters(in: .whitespaces)
      #expect(sources.contains("func \(name)("), "\(name)")
    }
  }

  @Test(arguments: [
    EditError.Code.unknownTrack, .unknownAssetTrack, .mediaTypeMismatch, .rangeOutsideAsset,
    .invalidDuration, .invalidTime, .invalidSegments, .overlappingRamp, .overflow,
  ])
  func `every error code is on the page`(code: EditError.Code) throws {
    #expect(try Self.section().contains("| `\(code)` |"))
  }

  @Test func `the example does what its comments say`() throws {
    let index = try MediaIndex.clip(seconds: RationalTime(10))
    let logoIndex = MediaIndex.stillImage(size: PixelSize(width: 640, height: 480))
    let beach = IndexedAsset(name: "beach", index: index)
    var composition = Composition()
    try composition.insertTimeRange(
      TimeRange(start: .zero, duration: RationalTime(10)), of: beach)
    let titles = composition.addTrack(mediaType: .video)
    let logo = try IndexedAsset(name: "logo", index: logoIndex).track(mediaType: .video)
    let opening = try TimeRange(start: .zero, duration: RationalTime(3))
    try composition.editTrack(titles) {
      try $0.insertTimeRange(opening, of: logo, at: RationalTime(2))
    }
    #expect(
      composition.tracks.map(\.shown) == [
        ["beach [0, 10) at [0, 10)"], ["beach [0, 10) at [0, 10)"], ["logo [0, 3) at [2, 5)"],
      ])
  }
}
