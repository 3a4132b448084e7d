import Crypto
import FarmAPI
import Foundation
import Support
import Testing

/// Projects with assets at URLs, on the command line.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct AssetURLTests {
  private let folder: TemporaryDirectory
  private let server: MediaServer

  init() throws {
    folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    try SolidClip(color: (160, 128, 128), frameCount: 60).write(to: folder.path("b.mp4"))
    server = try MediaServer(Data(contentsOf: URL(fileURLWithPath: folder.path("a.mp4"))))
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  private func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
  }

  /// A project whose first clip is at a URL.
  private func writeProject() throws {
    try write(
      """
      {"version": 1, "sequence": [{"clip": "\(server.origin)/file"},
        {"transition": "dissolve", "duration": 1}, {"clip": "b.mp4"}]}
      """, to: "cut.json")
  }

  @Test func `a clip at a URL gives the same file as the local clip`() throws {
    try writeProject()
    let files = try sheaf("render", "a.mp4", "b.mp4", "--transition", "dissolve:1", "-o", "1.mp4")
    #expect(files.status == 0, "\(files.standardError)")
    let fetched = try sheaf(
      "render", "cut.json", "-o", "2.mp4", "--asset-url", server.origin,
      "--allow-private-asset-addresses")
    #expect(fetched.status == 0, "\(fetched.standardError)")
    let clips = try sheaf(
      "render", "\(server.origin)/file", "b.mp4", "--transition", "dissolve:1", "-o", "3.mp4",
      "--asset-url", server.origin, "--allow-private-asset-addresses")
    #expect(clips.status == 0, "\(clips.standardError)")
    let digests = try ["1.mp4", "2.mp4", "3.mp4"].map { try Digest.of(file: folder.path($0)) }
    #expect(Set(digests).count == 1)
    #expect(server.requests == ["/file", "/file"])
  }

  @Test func `a render that may not fetch names the option that allows it`() throws {
    try writeProject()
    let closed = try sheaf("render", "cut.json", "-o", "out.mp4")
    #expect(closed.status == 1)
    #expect(
      closed.standardError.contains(
        "\(server.origin)/file: fetching from \(server.origin) is not allowed: allow it with "
          + "--asset-url"),
      "\(closed.standardError)")
    let here = try sheaf("render", "cut.json", "-o", "out.mp4", "--asset-url", server.origin)
    #expect(here.status == 1)
    #expect(
      here.standardError.contains("allow it with --allow-private-asset-addresses"),
      "\(here.standardError)")
    #expect(try sheaf("render", "cut.json", "-o", "out.mp4", "--asset-url", "x").status == 2)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out.mp4")))
    #expect(server.requests.isEmpty)
  }

  @Test(arguments: ["plan", "expand", "validate"])
  func `a command that reads media reports that it cannot fetch URLs`(command: String) throws {
    try writeProject()
    let outcome = try sheaf(command, "cut.json")
    #expect(outcome.status == 1)
    #expect(
      outcome.standardError
        == "sheaf: cannot read \(server.origin)/file: sequence[0].clip: only a coordinator "
        + "fetches URLs: use `sheaf render` or `sheaf submit`, or name a file\n")
    #expect(server.requests.isEmpty)
  }

  @Test func `problems that need no media are reported before anything is fetched`() throws {
    try write(
      #"{"version": 1, "sequence": [{"clip": "\#(server.origin)/file", "in": 2, "out": 1}]}"#,
      to: "cut.json")
    let outcome = try sheaf("render", "cut.json", "-o", "out.mp4", "--asset-url", server.origin)
    #expect(outcome.status == 3)
    #expect(outcome.standardError.contains("invalid project: sequence[0]"))
    try writeProject()
    let outside = try sheaf(
      "render", "cut.json", "-o", "out.mp4", "--asset-url", server.origin, "--root", "/usr")
    #expect(outside.status == 3)
    #expect(outside.standardError.contains("invalid project: sequence[2].clip: "))
    #expect(server.requests.isEmpty)
  }
}
