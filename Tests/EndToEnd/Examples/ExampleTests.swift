import Foundation
import Support
import Testing

/// The projects in `examples/`. Most are rendered as parts of one film, because a farm takes longer to start than to
/// render one of them; `make examples` renders each on its own.
@Suite(.mayBlock) struct ExampleTests {
  /// The examples that make no part of the film: a composition, one whose layers have the video among them, and one
  /// that ``DuckingExampleTests`` render.
  private static let alone = ["picture-in-picture", "rolling-credits", "music-ducking"]

  @Test func `every example is rendered by a test`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Example.folder.path)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    #expect(Example.all.map(\.name).sorted() == names)
    #expect(Set(Self.alone).isSubset(of: names))
  }

  @Test(arguments: ["picture-in-picture", "rolling-credits"])
  func `an example gives a file of the right length and content`(name: String) throws {
    let work = try TemporaryDirectory()
    let example = try Example.named(name)
    try ExampleMedia.write(namedIn: try example.text, to: work)
    try example.check(example.rendered(in: work))
  }

  @Test func `examples one after the other have the right lengths and contents`() throws {
    let work = try TemporaryDirectory()
    var film = ExampleFilm()
    for example in Example.all where !Self.alone.contains(example.name) {
      try film.append(example)
    }
    try ExampleMedia.write(namedIn: film.text, to: work)
    let logo = Example.folder.appending(path: "sheaf.svg").path
    try FileManager.default.copyItem(atPath: logo, toPath: work.path("sheaf.svg"))
    try film.whole.check(Rendered(project: film.text, in: work))
  }
}
