import FarmAPI
import Foundation
import Support
import Testing

@Suite(.mayBlock) struct AttemptLogTests {
  @Test func `each line has its time and source, and is printable`() {
    var log = AttemptLog()
    #expect(log.isEmpty && log.text == "")
    log.add("leased\nto \u{1B}[1mhost", from: "coordinator", at: Date(timeIntervalSince1970: 1.5))
    #expect(
      log.text == "1970-01-01T00:00:01.500Z coordinator: leased | to \\u{1B}[1mhost\n")
    log.add(linesOf: "one\n\ntwo\u{0}\n")
    #expect(log.text.hasSuffix("host\none\ntwo\\u{0}\n"))
  }

  @Test func `a log that is too long keeps its first line and the newest ones`() {
    var log = AttemptLog()
    for number in 0..<2000 { log.add(linesOf: "line \(number) of many") }
    let lines = log.text.split(separator: "\n")
    #expect(log.text.utf8.count <= AttemptLog.byteLimit)
    #expect(log.text.utf8.count > AttemptLog.byteLimit / 2)
    #expect(lines.first == "line 0 of many" && lines.last == "line 1999 of many")
    #expect(lines[1] == "(\(2000 - (lines.count - 1)) lines are missing here)")
  }

  @Test func `received text cannot exceed the limit`() {
    var log = AttemptLog()
    log.add(linesOf: String(repeating: "x", count: 1 << 20))
    for _ in 0..<100 { log.add(linesOf: String(repeating: "\u{1}\n", count: 1 << 14)) }
    #expect(log.text.utf8.count <= AttemptLog.byteLimit)
  }
}
