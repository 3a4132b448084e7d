import FarmAPI
import Foundation
import Processes
import Support
import Testing
import sheaf

/// `sheaf doctor` on this host and with coordinators without TLS.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct DoctorCommandTests {
  @Test func `the host is checked, and the coordinator of the loopback address`() throws {
    let folder = try TemporaryDirectory()
    let input = try SubprocessPipe()
    let coordinator = Program.coordinator.process(
      ["serve", "--data", folder.path("data"), "--port", "0", "--exit-with-parent"])
    coordinator.standardInput = .pipe(input)
    coordinator.standardError = .null
    let url = try coordinator.startListening()
    defer { try? input.writing.close() }
    let outcome = try Program.sheaf.run([
      "doctor", "--json", "--coordinator", url, "--data", folder.path("data"),
    ])
    #expect(outcome.status == 0, "\(outcome.standardOutput)\(outcome.standardError)")
    let report = try FarmCoding.decode(
      DiagnosisReport.self, from: Data(outcome.standardOutput.utf8))
    #expect(report.version == SheafVersion.current)
    #expect(
      report.checks.map(\.check) == [
        "programs", "libraries", "encoders", "decoders", "fonts", "sandbox", "ports",
        "temporary directory", "data directory", "coordinator", "certificate", "readiness",
        "version", "clock", "token",
      ])
    let states = Dictionary(uniqueKeysWithValues: report.checks.map { ($0.check, $0.state) })
    for check in [
      "programs", "libraries", "encoders", "coordinator", "readiness", "version", "token",
    ] {
      #expect(states[check] == .ok, "\(check)")
    }
  }

  @Test(arguments: [40, 80, 200])
  func `a coordinator that does not run is a failure with a line that says what to do`(
    columns: Int
  ) throws {
    let terminal = try PseudoTerminal(columns: columns)
    let process = try terminal.start(
      .sheaf, ["doctor", "--coordinator", "http://127.0.0.1:1"], environment: ["TMPDIR": "/tmp"])
    let (ending, text) = try terminal.text(of: process)
    #expect(ending == .exited(4), "\(text)")
    let screen = TerminalScreen(text, columns: columns)
    #expect(screen.wraps == 0, "\(text)")
    let words = screen.lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(words.contains("failed coordinator: http://127.0.0.1:1: nothing accepts"), "\(words)")
    #expect(words.contains("fix: start `sheaf-coordinator serve` on that host"), "\(words)")
    #expect(words.contains("skipped token: the coordinator does not answer"), "\(words)")
    #expect(words.contains("1 failed check"), "\(words)")
  }

  @Test func `an invalid configuration file is a failure, and the host is still checked`() throws {
    let folder = try TemporaryDirectory()
    try FileManager.default.createDirectory(
      atPath: folder.path("sheaf"), withIntermediateDirectories: true)
    try Data("nonsense\n".utf8).write(to: URL(fileURLWithPath: folder.path("sheaf/config")))
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o600], ofItemAtPath: folder.path("sheaf/config"))
    let outcome = try Program.sheaf.run(
      ["doctor"], environment: ["XDG_CONFIG_HOME": folder.path])
    #expect(outcome.status == 1, "\(outcome.standardOutput)")
    #expect(outcome.standardOutput.contains("ok       programs: "))
    #expect(outcome.standardOutput.contains("failed   settings: the line has no value: "))
    #expect(outcome.standardOutput.contains("skipped  coordinator: no coordinator is named\n"))
    #expect(outcome.standardOutput.contains("         to include it: name one with --coordinator"))
  }
}
