import Foundation
import ProjectFormat
import Support
import Testing
import Timeline

/// Every project in `examples/` and `examples/templates/` is valid, whatever the size of its clips.
@Suite(.mayBlock) struct ExampleFileTests {
  private static let examples = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "examples")

  private static func names(in folder: String) -> [String] {
    let files = try? FileManager.default.contentsOfDirectory(
      atPath: examples.appending(path: folder).path)
    return (files ?? []).filter { $0.hasSuffix(".json") }.map { "\(folder)\($0)" }.sorted()
  }

  @Test func `there is a project for every template and style`() {
    let expected = SequenceTitle.Template.allCases.flatMap { template in
      SequenceTitle.Style.allCases.map { "templates/\(template.rawValue)-\($0.rawValue).json" }
    }
    #expect(Self.names(in: "templates/") == expected.sorted())
  }

  @Test(arguments: Self.names(in: "") + Self.names(in: "templates/"))
  func `an example has no findings at any size`(name: String) throws {
    let document = try ProjectDocument.parse(
      Array(Data(contentsOf: Self.examples.appending(path: name))))
    for (width, height) in [(640, 360), (1920, 1080), (1080, 1920), (3840, 2160)] {
      var indexes: [String: MediaIndex] = [:]
      for path in document.media.values.compactMap(\.path) {
        indexes[path] =
          path.hasSuffix(".png")
          ? MediaIndex.stillImage(size: PixelSize(width: 640, height: 360))
          : path.hasSuffix(".m4a")
            ? MediaIndex.sound(seconds: RationalTime(10))
            : try MediaIndex.clip(
              seconds: RationalTime(10), size: PixelSize(width: width, height: height))
      }
      // In a composition, the files have names.
      for (name, asset) in document.media { indexes[name] = asset.path.flatMap { indexes[$0] } }
      let project = try document.project(indexes: indexes)
      #expect(project.findings(indexes: indexes) == [])
      #expect(try ProjectDocument.parse(Array(project.json())) == .composition(project))
    }
  }

  @Test func `the page of the examples describes each`() throws {
    let page = try String(
      contentsOf: Self.examples.appending(path: "README.md"), encoding: .utf8)
    for name in Self.names(in: "") { #expect(page.contains("[\(name)](\(name))"), "\(name)") }
    for template in SequenceTitle.Template.allCases {
      #expect(page.contains("`\(template.rawValue)`"), "\(template)")
    }
  }
}
