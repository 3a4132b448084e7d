import FarmAPI
import Support
import Synchronization
import Testing
import sheaf_worker

@Suite(.mayBlock) struct EventLogTests {
  @Test func `values from outside cannot control a terminal or forge a line`() {
    let lines = Mutex<[String]>([])
    let log = EventLog { line in lines.withLock { $0.append(line) } }
    log.about(["job": "a\u{1b}[2K"]).record("failed", ["because": "b\u{9b}m\nc\u{202e}\0"])
    #expect(
      lines.withLock { $0 } == [#"failed job=a\u{1B}[2K because=b\u{9B}m c\u{202E}\u{0}"#])
  }

  @Test func `a long log line is truncated and says so`() throws {
    let lines = Mutex<[String]>([])
    let log = EventLog { line in lines.withLock { $0.append(line) } }
    log.record("failed", ["because": String(repeating: "é", count: 32 << 10)])
    let line = try #require(lines.withLock { $0 }.first)
    #expect(line.utf8.count <= LogLine.longest)
    #expect(line.hasPrefix("failed because=ééé"))
    #expect(line.hasSuffix("é… (cut: the line has 65551 bytes)"))
  }
}
