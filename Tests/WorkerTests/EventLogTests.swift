import FarmAPI
import Synchronization
import Testing
import sheaf_worker

struct EventLogTests {
  @Test func `values from outside cannot steer a terminal, or forge a line`() {
    let lines = Mutex<[String]>([])
    let log = EventLog { line in lines.withLock { $0.append(line) } }
    log.about(["job": "a\u{1b}[2K"]).record("failed", ["because": "b\u{9b}m\nc\u{202e}\0"])
    #expect(
      lines.withLock { $0 } == [#"failed job=a\u{1B}[2K because=b\u{9B}m c\u{202E}\u{0}"#])
  }
}
