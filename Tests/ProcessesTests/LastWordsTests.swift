import Foundation
import Processes
import Support
import Testing

/// The part of a child's standard error that is kept.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct LastWordsTests {
  /// Returns the line that is kept of a script's standard error, after waiting for its output and end.
  private func lastLine(of script: String) throws -> String? {
    let (ours, theirs) = try Descriptors.socketPair()
    defer { close(ours) }
    let words = try LastWords()
    let process = try words.lend { errors throws(ProcessError) in
      try Spawn(
        "/bin/sh", ["sh", "-c", script],
        descriptors: [.copy(theirs), .copy(theirs), .copy(errors)], subject: "sh"
      ).start()
    }
    close(theirs)
    #expect(words.wait(for: ours, POLLIN))
    #expect(process.wait() == .exited(0))
    return words.lastLine
  }

  @Test(arguments: [
    ("exit 0", nil), ("echo one >&2; echo two >&2", "two"), ("printf 'three\\nfour' >&2", "four"),
    ("head -c 1000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2", "last"),
  ])
  func `the last line is kept, whatever comes before it`(script: String, line: String?) throws {
    #expect(try lastLine(of: script) == line)
  }

  @Test func `at most two kibibytes are kept`() throws {
    #expect(try lastLine(of: "head -c 1000000 /dev/zero | tr '\\0' x >&2")?.utf8.count == 2048)
  }

  @Test func `a wait for a descriptor ends at the deadline`() throws {
    let pair = try Descriptors.socketPair()
    defer { for end in [pair.0, pair.1] { close(end) } }
    let words = try LastWords()
    #expect(!words.wait(for: pair.0, POLLIN, until: SuspendingClock.now + .milliseconds(1)))
    #expect(words.wait(for: pair.0, POLLOUT, until: SuspendingClock.now))
  }
}
