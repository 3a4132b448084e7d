import FarmAPI
import Foundation
import Support
import Testing
import sheaf_worker

@Suite(.mayBlock) struct AttemptLinesTests {
  @Test func `lines are taken once, and lines that were not sent come before newer ones`() throws {
    let lines = AttemptLines()
    #expect(lines.take() == nil)
    let log = Log(.normal) { _ in }.about(["job": "x"]).copying { lines.add($0) }
    log.info("leased", ["attempt": "1"])
    let first = try #require(lines.take())
    #expect(first.hasSuffix(" worker: leased attempt=1\n"))
    #expect(lines.take() == nil)
    log.info("rendered")
    lines.putBack(first)
    #expect(
      try #require(lines.take()).split(separator: "\n").map { $0.suffix(8) } == [
        "ttempt=1", "rendered",
      ])
  }

  @Test func `lines for a manifest are limited to its header's room`() throws {
    let lines = AttemptLines()
    let log = Log(.normal) { _ in }.copying { lines.add($0) }
    for number in 0..<500 { log.info("event", ["number": "\(number)"]) }
    let text = try #require(lines.take(atMost: ChunkManifest.logLimit))
    #expect(text.utf8.count <= ChunkManifest.logLimit)
    #expect(text.hasSuffix("number=499\n"))
  }
}
