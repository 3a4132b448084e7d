import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// The examples of transitions, and their section of docs/editing-model.md.
@Suite(.mayBlock) struct TransitionExampleTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    "slide", "fade-through-color", "eased-push", "music-loop", "portrait-mix", "luma-wipe",
    "iris-and-clock",
  ])
  func `an example is read, expanded and written back`(name: String) throws {
    let file = Self.root.appending(path: "examples/\(name).json")
    guard case .sequence(let sequence) = try ProjectDocument.parse(Array(Data(contentsOf: file)))
    else {
      Issue.record("the example is a composition")
      return
    }
    var indexes: [String: MediaIndex] = [:]
    for path in sequence.assets.keys {
      indexes[path] =
        path.hasSuffix(".png")
        ? MediaIndex.stillImage(size: PixelSize(width: 640, height: 360))
        : path.hasSuffix(".m4a")
          ? MediaIndex.sound(seconds: RationalTime(20))
          : try MediaIndex.clip(seconds: RationalTime(20))
    }
    let project = try sequence.expanded(indexes: indexes)
    #expect(project.findings(indexes: indexes) == [])
    #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
  }

  @Test func `every row of the transitions' table names an existing test`() throws {
    let page = try String(
      contentsOf: Self.root.appending(path: "docs/editing-model.md"), encoding: .utf8)
    let section = try #require(
      page.components(separatedBy: "\n## ").first { $0.hasPrefix("Transitions in the sequence") })
    let sources = try ["ProjectFormatTests/Sequence", "TimelineTests/Model", "TimelineTests/Ramps"]
      .flatMap { folder in
        try FileManager.default.contentsOfDirectory(
          at: Self.root.appending(path: "Tests/\(folder)"), includingPropertiesForKeys: nil)
      }
      .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
    let rows = section.split(separator: "\n").map { $0.split(separator: "|") }
      .filter { $0.count == 4 }.dropFirst(2)
    #expect(rows.count == 17)
    for row in rows {
      let name = row[3].trimmingCharacters(in: .whitespaces)
      #expect(sources.contains("func \(name)("), "\(name)")
    }
  }
}
