import Foundation
import Support
import Testing

/// The tables of docs/api.md name exactly the codes and problem types that the sources define.
@Suite(.mayBlock) struct WireNameTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test func `the table of failure codes has exactly those in the sources`() throws {
    var codes: Set<String> = []
    for file in [
      "FarmAPI/Failures/FailureCode", "Media/Errors/MediaError", "Rendering/RenderingError",
      "Rendering/Assembly/AssemblyError",
    ] {
      let found = try Self.text("Sources/\(file).swift")
        .matches(of: #/(?:case \w+ = |FailureCode\()"([a-z-]+)"/#).map { String($0.1) }
      #expect(!found.isEmpty, "\(file)")
      codes.formUnion(found)
    }
    #expect(codes.count > 60)
    try check(codes, section: "Failure codes")
  }

  @Test func `the table of problems has exactly the types in the sources`() throws {
    let types = try Self.text("Sources/FarmAPI/ProblemType.swift")
      .matches(of: #/ProblemType\(rawValue: "([a-z\/-]+)"/#).map { String($0.1) }
    #expect(types.count > 20)
    try check(Set(types), section: "Problems")
  }

  private func check(_ names: Set<String>, section title: String) throws {
    let section = try #require(
      Self.text("docs/api.md").components(separatedBy: "\n## ").first { $0.hasPrefix("\(title)\n") }
    )
    let rows = section.matches(of: #/\n\| `([a-z\/-]+)` \|/#).map { String($0.1) }
    #expect(rows.count == names.count)
    #expect(Set(rows).subtracting(names) == [])
    #expect(names.subtracting(rows) == [])
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }
}
