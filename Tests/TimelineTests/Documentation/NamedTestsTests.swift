import Foundation
import Testing

/// Every test that a table of docs/editing-model.md, docs/operating.md or docs/reliability.md names is there.
struct NamedTestsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "Animation layers", "Audio mix", "Colour and formats", "Export", "Fit and masks", "Orientation",
    "Sources with alpha", "Speed", "Transforms of layers", "Video composition",
  ])
  func `every row of a section names tests that are there`(title: String) throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/editing-model.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") })
    try check(section, columns: 4)
  }

  @Test func `every row about a limit names tests that are there`() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/operating.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("Limits\n") })
    try check(section, columns: 2)
  }

  @Test func `every row about a fault names tests that are there`() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/reliability.md"), encoding: .utf8)
    for section in page.components(separatedBy: "\n## ").dropFirst() where section.contains("|") {
      try check(section, columns: 3)
    }
  }

  /// Looks up the tests in the last column of a section's tables, where that is what it has.
  private func check(_ section: String, columns: Int) throws {
    let sources = try Self.sources()
    let tables = section.split(separator: "\n", omittingEmptySubsequences: false)
      .split { !$0.hasPrefix("|") }
      .map { table in table.map { $0.split(separator: "|") }.filter { $0.count == columns } }
      .filter { [" test ", " tests "].contains($0.first?.last ?? "") }
    let rows = tables.flatMap { $0.dropFirst(2) }
    #expect(rows.count > 2)
    for row in rows {
      for name in row[columns - 1].components(separatedBy: "`, `") {
        let name = name.trimmingCharacters(in: CharacterSet(charactersIn: "` "))
        #expect(sources.contains("func `\(name)`("), "\(name)")
      }
    }
  }

  private static func sources() throws -> String {
    let folder = root.appending(path: "Tests").resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var text = ""
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      text += try String(contentsOf: file, encoding: .utf8)
    }
    return text
  }
}
