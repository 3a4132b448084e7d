import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// The examples of docs/project-file.md are read as they stand.
@Suite(.mayBlock) struct ProjectFilePageTests {
  private func page() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/project-file.md"), encoding: .utf8)
  }

  /// The JSON blocks of the page.
  private func examples() throws -> [String] {
    try page().components(separatedBy: "```json\n").dropFirst().compactMap {
      $0.components(separatedBy: "```").first
    }
  }

  @Test func `the page has a valid example of each form`() throws {
    let documents = try examples().map { try ProjectText.parse($0) }
    let forms = documents.map { document in
      switch document {
      case .composition: "composition"
      case .sequence: "sequence"
      }
    }
    #expect(Set(forms) == ["sequence", "composition"])
  }

  @Test func `the example of a composition is written back as it was read`() throws {
    for example in try examples() {
      guard case .composition(let project) = try ProjectText.parse(example) else { continue }
      #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    }
  }

  @Test(arguments: ExportPreset.all.map(\.name))
  func `every preset is on the page`(name: String) throws {
    #expect(try page().contains("`\(name)`"))
  }
}
