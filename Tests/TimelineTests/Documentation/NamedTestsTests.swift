import Foundation
import Support
import Testing

/// Every test that docs/editing-model.md, docs/operating.md or Tests/promises.tsv names exists.
@Suite(.mayBlock) struct NamedTestsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "Animation layers", "Audio mix", "Color and formats", "Export", "Fit and masks", "Orientation",
    "Sources with alpha", "Speed", "Transforms of layers", "Video composition",
  ])
  func `every row of a section names existing tests`(title: String) throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/editing-model.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") })
    try check(section, columns: 4)
  }

  @Test func `every row about a limit names existing tests`() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/operating.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("Limits\n") })
    try check(section, columns: 2)
  }

  @Test func `every limit that can be set is in the table of limits and in that of their tests`()
    throws
  {
    // The quota's option is a constant of its own.
    var options: [String] = []
    for (file, mark) in [
      ("coordinator/Configuration/Limits.swift", "option: \""),
      ("Sources/Preparation/Turns/PlanningQuota.swift", "static let option = \""),
    ] {
      let text = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
      options += text.components(separatedBy: mark).dropFirst()
        .map { String($0.prefix { $0 != "\"" }) }
    }
    #expect(options.count > 30)
    #expect(options.allSatisfy { $0.hasPrefix("--") })
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/operating.md"), encoding: .utf8)
    let tables = Self.tables(page).filter { $0.first?.first == "limit" }
    #expect(tables.compactMap(\.first?.last) == ["if exceeded", "test"])
    for table in tables {
      for option in options {
        #expect(
          table.contains { $0.first?.contains("`\(option)`") == true },
          "\(option) is not in the table of \(table[0])")
      }
    }
  }

  @Test func `every promise names existing tests`() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/reliability.md"), encoding: .utf8)
    let promises = page.matches(of: #/\n\| ([A-Z]\d+) \| .+? \| .+? \|/#).map { String($0.1) }
    #expect(promises.count > 200)
    #expect(Set(promises).count == promises.count)
    let pairs = try String(
      contentsOf: Self.root.appending(path: "Tests/promises.tsv"), encoding: .utf8
    ).split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(Set(pairs.map { String($0[0]) }) == Set(promises))
    let names = try Self.testNames()
    for pair in pairs {
      #expect(pair.count == 2 && names.contains(String(pair[1])), "\(pair)")
    }
  }

  /// The tables of a text: their rows, of which the second is the line below the head, and the rows' cells.
  private static func tables(_ text: String) -> [[[String]]] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
      .split { !$0.hasPrefix("|") }
      .map { table in
        table.map { row in
          row.dropFirst().components(separatedBy: "|").dropLast()
            .map { $0.trimmingCharacters(in: .whitespaces) }
        }
      }
  }

  /// Looks up the tests in the last column of a section's tables, where that is what it has.
  private func check(_ section: String, columns: Int) throws {
    let names = try Self.testNames()
    let tables = Self.tables(section).filter { ["test", "tests"].contains($0.first?.last ?? "") }
    let rows = tables.flatMap { $0.dropFirst(2) }
    #expect(rows.count > 2)
    #expect(tables.allSatisfy { $0.first?.count == columns })
    for row in rows {
      let isWhole = row.count == columns && row.allSatisfy { !$0.isEmpty }
      #expect(isWhole, "\(row)")
      for name in (row.last ?? "").components(separatedBy: "`, `") {
        let name = name.trimmingCharacters(in: CharacterSet(charactersIn: "` "))
        #expect(names.contains(name), "\(name)")
      }
    }
  }

  /// The names of all tests.
  private static func testNames() throws -> Set<String> {
    let folder = root.appending(path: "Tests").resolvingSymlinksInPath()
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var names: Set<String> = []
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      names.formUnion(
        text.components(separatedBy: "func `").dropFirst().map { String($0.prefix { $0 != "`" }) })
    }
    return names
  }
}
