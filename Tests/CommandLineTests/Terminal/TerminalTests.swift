import Foundation
import Processes
import Support
import Testing

/// The output of commands in terminals of several widths.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct TerminalTests {
  private static let widths = [40, 80, 200]

  /// The states of the strip, as glyphs.
  private static let glyphs: Set<Character> = ["░", "▒", "█", "▤", "▦", "✗"]

  private func strip(_ screen: TerminalScreen) -> String? {
    screen.lines.first { !$0.isEmpty && $0.allSatisfy(Self.glyphs.contains) }
  }

  @Test(arguments: widths, [["jobs"], ["workers"], ["job", "5f0c1d2e3f4g"]])
  func `a list fits the terminal`(columns: Int, command: [String]) async throws {
    let farm = try ScriptedFarm()
    let terminal = try PseudoTerminal(columns: columns)
    let process = try terminal.start(.sheaf, command + ["--coordinator", farm.url])
    let (ending, text) = try terminal.text(of: process)
    await farm.end()
    let screen = TerminalScreen(text, columns: columns)
    #expect(ending == .exited(0), "\(text)")
    #expect(screen.wraps == 0, "\(text)")
    #expect(screen.unknown == [])
    #expect(screen.lines.count > 2)
    // The most important columns are never left out.
    let heading = screen.lines.first { $0.contains("STATE") }
    #expect(heading != nil, "\(text)")
  }

  /// Watches a job in a terminal until it shows the job, and returns the screens at that time and at the end.
  private func watch(
    columns: Int, environment: [String: String] = [:], until shown: String = "420 of 1,000",
    signal: Int32? = nil
  ) async throws -> (during: TerminalScreen, after: TerminalScreen, status: Int32, text: String) {
    let farm = try ScriptedFarm()
    let terminal = try PseudoTerminal(columns: columns)
    let process = try terminal.start(
      .sheaf, ["watch", "5f0c1d2e3f4g", "--coordinator", farm.url], environment: environment)
    try await eventually("the job is shown") { terminal.text.contains(shown) }
    let during = TerminalScreen(terminal.text, columns: columns)
    if let signal {
      process.send(signal)
    } else {
      try farm.change(to: ScriptedFarm.completed)
    }
    let (ending, text) = try terminal.text(of: process)
    await farm.end()
    guard case .exited(let status) = ending else {
      Issue.record("\(ending)")
      return (during, TerminalScreen(text, columns: columns), -1, text)
    }
    return (during, TerminalScreen(text, columns: columns), status, text)
  }

  @Test(arguments: widths)
  func `the strip of segments fills the width, and no line wraps`(columns: Int) async throws {
    let (during, after, status, text) = try await watch(columns: columns, until: "420")
    #expect(status == 0)
    #expect(during.wraps == 0 && after.wraps == 0, "\(text)")
    #expect(during.unknown == [])
    let drawn = try #require(strip(during), "\(during.lines)")
    #expect(drawn.count == columns)
    #expect(Set(drawn) == Self.glyphs)
    #expect(drawn.hasPrefix("▤") && drawn.hasSuffix("✗"))
    #expect(during.lines.contains { $0.contains("ETA 1:2") && $0.contains("42 %") })
    #expect(!during.isCursorVisible)
    #expect(after.isCursorVisible)
    // Only the summary remains.
    #expect(strip(after) == nil)
    let summary = after.lines.joined(separator: " ")
    #expect(summary.contains("00:00:40:00"))
    #expect(summary.contains("It took 20 s, 2.00× the speed of playback."))
    #expect(
      summary.contains("Of 1,000 frames, 100 were copied, 200 were reused and 700 were encoded."))
  }

  @Test func `workers, speed and rate are shown`() async throws {
    let (during, _, _, _) = try await watch(columns: 200, until: "workers, ")
    #expect(
      during.lines.contains("420 of 1,000 frames  61.2 fps  2.45×  3 workers, 6 of 12 slots busy"),
      "\(during.lines)")
  }

  @Test func `no color is used if NO_COLOR is set`() async throws {
    let (during, after, status, _) = try await watch(
      columns: 80, environment: ["NO_COLOR": "1"])
    #expect(status == 0)
    #expect(after.styles == 0)
    #expect(strip(during)?.count == 80)
    #expect(try await watch(columns: 80).during.styles > 0)
  }

  @Test func `only ASCII is drawn in a locale without UTF-8`() async throws {
    let (during, _, _, _) = try await watch(columns: 80, environment: ["LC_ALL": "C"])
    let strip = during.lines.first { $0.count == 80 && $0.allSatisfy { "=+#>.x".contains($0) } }
    #expect(strip?.hasPrefix("========++") == true, "\(during.lines)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal restores the cursor`(signal: Int32) async throws {
    let (during, after, status, text) = try await watch(columns: 80, signal: signal)
    #expect(!during.isCursorVisible)
    #expect(after.isCursorVisible)
    #expect(status == 130)
    #expect(text.contains("the job continues"))
  }

  @Test func `a dumb terminal gets plain lines`() async throws {
    let (_, after, status, text) = try await watch(
      columns: 80, environment: ["TERM": "dumb"], until: "420/1000 frames")
    #expect(status == 0)
    #expect(!text.contains("\u{1b}"))
    #expect(after.isCursorVisible)
  }

  @Test func `a terminal that becomes narrower is redrawn`() async throws {
    let farm = try ScriptedFarm()
    let terminal = try PseudoTerminal(columns: 80)
    let process = try terminal.start(
      .sheaf, ["watch", "5f0c1d2e3f4g", "--coordinator", farm.url])
    try await eventually("the job is shown") { terminal.text.contains("420 of 1,000") }
    let before = terminal.text
    terminal.resize(columns: 40)
    process.send(SIGWINCH)
    let narrow = try await eventually("it is drawn again") {
      String(terminal.text.dropFirst(before.count))
    } satisfies: {
      $0.contains("?2026l")
    }
    #expect(TerminalScreen(narrow, columns: 40).wraps == 0)
    #expect(strip(TerminalScreen(narrow, columns: 40))?.count == 40)
    try farm.change(to: ScriptedFarm.completed)
    #expect(try terminal.text(of: process).ending == .exited(0))
    await farm.end()
  }

  @Test func `quiet commands show nothing`() async throws {
    let farm = try ScriptedFarm(ScriptedFarm.completed)
    let terminal = try PseudoTerminal(columns: 80)
    let process = try terminal.start(
      .sheaf, ["watch", "5f0c1d2e3f4g", "--quiet", "--coordinator", farm.url])
    let (ending, text) = try terminal.text(of: process)
    await farm.end()
    #expect(ending == .exited(0))
    #expect(text == "")
  }

  @Test(arguments: widths)
  func `a render ends with a summary`(columns: Int) throws {
    let folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    let terminal = try PseudoTerminal(columns: columns)
    let process = try terminal.start(.sheaf, ["render", "a.mp4", "-o", "out.mp4"], in: folder.path)
    let (ending, text) = try terminal.text(of: process)
    #expect(ending == .exited(0), "\(text)")
    let screen = TerminalScreen(text, columns: columns)
    #expect(screen.wraps == 0, "\(text)")
    #expect(screen.isCursorVisible)
    let summary = screen.lines.joined(separator: " ")
    #expect(summary.contains("Made out.mp4: 00:00:02:00 of H.264 at 320×"), "\(summary)")
    #expect(summary.contains("× the speed of playback."))
    #expect(summary.contains("60 frames"), "\(summary)")
  }

  @Test(arguments: widths)
  func `a plan and a probe fit the terminal, and have timecodes`(columns: Int) throws {
    let folder = try TemporaryDirectory()
    try SolidClip(color: (80, 128, 128), frameCount: 60).write(to: folder.path("a.mp4"))
    try Data(#"{"version": 1, "sequence": [{"clip": "a.mp4"}]}"#.utf8)
      .write(to: URL(fileURLWithPath: folder.path("cut.json")))
    for command in [["plan", "cut.json"], ["probe", "a.mp4"]] {
      let terminal = try PseudoTerminal(columns: columns)
      let process = try terminal.start(.sheaf, command, in: folder.path)
      let (ending, text) = try terminal.text(of: process)
      #expect(ending == .exited(0), "\(text)")
      #expect(text.contains("00:00:02:00"), "\(text)")
      // The plan's hash is a word of 64 characters.
      let screen = TerminalScreen(text.replacing(#/[0-9a-f]{64}/#, with: "hash"), columns: columns)
      #expect(screen.wraps == 0, "\(text)")
    }
  }
}
