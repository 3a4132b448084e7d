import FarmAPI
import Foundation
import Support
import Testing

/// `sheaf-media`, and what the other programs do without it.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct MediaProgramTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `it prints its help and its version`() throws {
    let help = try Program.media.run(["--help"])
    #expect(help.status == 0)
    #expect(help.standardOutput.contains("\nexample: sheaf-media probe \(SheafVersion.current)\n"))
    let version = try Program.media.run(["--version"])
    #expect(version.status == 0)
    #expect(version.standardOutput == "sheaf-media \(SheafVersion.current)\n")
  }

  @Test(arguments: [[], ["probe"], ["sing", SheafVersion.current]])
  func `it rejects invalid arguments`(arguments: [String]) throws {
    let outcome = try Program.media.run(arguments)
    #expect(outcome.status == 2)
    #expect(outcome.standardError.hasPrefix("usage: sheaf-media SERVICE VERSION\n"))
  }

  @Test func `it refuses a program of another version`() throws {
    let outcome = try Program.media.run(["probe", "0.1"])
    #expect(outcome.status == 2)
    #expect(outcome.standardError.contains("and the program that started it 0.1: install all"))
  }

  /// Runs a copy of a program without the others next to it.
  private func runAlone(_ program: Program, _ arguments: [String]) throws -> Program.Outcome {
    let copy = folder.path(program.name)
    if !FileManager.default.fileExists(atPath: copy) {
      try FileManager.default.copyItem(atPath: program.path, toPath: copy)
    }
    return try Program(copy).run(arguments, in: folder.path)
  }

  @Test func `a command that opens media names the missing program`() throws {
    try SolidClip(color: (90, 128, 128), frameCount: 2, width: 32, height: 32)
      .write(to: folder.path("a.mp4"))
    try #"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#
      .write(toFile: folder.path("cut.json"), atomically: true, encoding: .utf8)
    let outcome = try runAlone(.sheaf, ["plan", "cut.json"])
    #expect(outcome.status == 1)
    #expect(
      outcome.standardError
        == "sheaf: cannot find the program \(folder.path("sheaf-media")): install it\n")
    #expect(try runAlone(.sheaf, ["completions", "bash"]).status == 0)
    let doctor = try runAlone(.sheaf, ["doctor"])
    #expect(doctor.status == 1)
    #expect(doctor.standardOutput.contains("failed   sandbox: "))
    #expect(doctor.standardOutput.contains("temporary directory: "))
  }

  @Test func `a coordinator does not start without it`() throws {
    let outcome = try runAlone(
      .coordinator, ["serve", "--data", folder.path("data"), "--port", "0"])
    #expect(outcome.status == 1)
    #expect(outcome.standardError.contains("cannot find the program \(folder.path("sheaf-media"))"))
  }
}
