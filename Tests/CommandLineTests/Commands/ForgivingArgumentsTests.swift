import FarmAPI
import Foundation
import Support
import Testing

/// Arguments as people write them.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ForgivingArgumentsTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
  }

  private func sheaf(_ arguments: String...) throws -> Program.Outcome {
    try Program.sheaf.run(arguments, in: folder.path)
  }

  @Test(arguments: [
    (["wacth", "1"], "unknown command: wacth: did you mean watch?"),
    (
      ["watch", "1", "--coordinater", "x"],
      "unknown option: --coordinater: did you mean --coordinator?"
    ),
    (["transcode", "a", "b.mp4", "--codec", "hvec"], "\"hvec\": did you mean hevc?"),
    (["sleep"], "unknown command: sleep: see `sheaf --help`"),
  ])
  func `a mistyped word is an error that names the one that was probably meant`(
    arguments: [String], message: String
  ) throws {
    let outcome = try Program.sheaf.run(arguments, in: folder.path)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains(message), "\(outcome.standardError)")
  }

  @Test func `bit rates, codecs and times are understood as other tools write them`() throws {
    let outcome = try sheaf(
      "transcode", "a.mp4", "out.mp4", "--video-codec", "x265", "--video-bit-rate", "400k",
      "--start", "00:00:00:15", "--duration", "1s", "--json")
    #expect(outcome.status == 0, "\(outcome.standardError)")
    let probe = String(
      decoding: try Tool.run(
        "ffprobe",
        [
          "-v", "error", "-count_frames", "-show_entries", "stream=codec_name,nb_read_frames",
          "-of",
          "csv=p=0", folder.path("out.mp4"),
        ]), as: UTF8.self)
    #expect(probe.contains("hevc,30"), "\(probe)")
  }

  @Test func `a preset may have the name of its size`() throws {
    let outcome = try sheaf(
      "render", "a.mp4", "-o", "out.mp4", "--preset", "540p", "--size", "360p")
    #expect(outcome.status == 0, "\(outcome.standardError)")
  }

  @Test func `a value that the project would reject is reported by the option`() throws {
    let outcome = try sheaf("transcode", "a.mp4", "out.mp4", "--crf", "60")
    #expect(outcome.status == 2)
    #expect(
      outcome.standardError.hasPrefix("sheaf: invalid argument: --crf: "),
      "\(outcome.standardError)")
    #expect(!outcome.standardError.contains("export.video"))
  }

  @Test func `every program prints its version, which heads the list of changes`() throws {
    for program in [Program.sheaf, .coordinator, .worker] {
      let outcome = try program.run(["--version"])
      #expect(outcome.status == 0)
      #expect(outcome.standardOutput == "\(program.name) \(SheafVersion.current)\n")
    }
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../../CHANGELOG.md")
    let heading = try String(contentsOf: root, encoding: .utf8).split(separator: "\n")
      .first { $0.hasPrefix("## ") }
    #expect(heading?.contains(SheafVersion.current) == true)
  }

  @Test func `a token is saved in a new file that only its owner can read`() throws {
    let create = [
      "token", "create", "--data", folder.path("data"), "--role", "observer", "--name", "wall",
      "--out", folder.path("wall.token"),
    ]
    let outcome = try Program.coordinator.run(create)
    #expect(outcome.status == 0, "\(outcome.standardError)")
    #expect(outcome.standardOutput == "")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.path("wall.token"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let token = try String(contentsOfFile: folder.path("wall.token"), encoding: .utf8)
    #expect(token.hasPrefix("sheaf_"))
    let again = try Program.coordinator.run(create)
    #expect(again.status == 1)
    #expect(again.standardError.contains("the file already exists"))
    #expect(try String(contentsOfFile: folder.path("wall.token"), encoding: .utf8) == token)
    let list = try Program.coordinator.run(["token", "list", "--data", folder.path("data")])
    #expect(list.standardOutput.split(separator: "\n").count == 1)
  }
}
