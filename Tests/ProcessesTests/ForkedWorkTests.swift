import Foundation
import Processes
import Support
import Testing

/// Work in copies of a process, tested with a program that makes some.
@Suite(.mayBlock, .timeLimit(.minutes(1))) struct ForkedWorkTests {
  private func forked(_ names: String...) throws -> Program.Outcome {
    try Program.confined.run(["forked"] + names)
  }

  @Test func `each copy sends one message and cannot see the others' state`() throws {
    let outcome = try forked("count", "count", "lines", "failure", "count")
    #expect(outcome.standardOutput == "1\n1\none\ntwo\n\nfailed\n1\n")
    #expect(outcome.status == 0)
  }

  @Test(arguments: ["silence", "print"])
  func `the answer of a copy that sends no message is empty`(name: String) throws {
    let outcome = try forked(name, "count")
    #expect(outcome.standardOutput == "\n1\n")
    #expect(outcome.status == 0)
  }

  @Test func `a message that is too long is announced but not sent`() throws {
    #expect(try forked("too long").standardOutput == "too long: 2000\n")
  }

  @Test func `a copy cannot wait until its parent reads a second message`() throws {
    #expect(try forked("unread", "count").standardOutput == "one\n1\n")
  }

  @Test func `a copy cannot read its parent's input`() throws {
    #expect(try forked("input").standardOutput == "nothing\n")
  }

  @Test(arguments: [("abort", -SIGABRT), ("exit", 3), ("spin on", -SIGXCPU)])
  func `a process ends the way its forked copy ended, without an answer`(
    name: String, status: Int32
  )
    throws
  {
    let outcome = try forked("count", name, "count")
    #expect(outcome.status == status)
    #expect(outcome.standardOutput == "1\n")
  }

  @Test func `a copy has its own limit on processor time`() throws {
    // Each copy uses most of the processor time that a process may use.
    let outcome = try forked("compute", "compute")
    #expect(outcome.standardOutput == "computed\ncomputed\n")
    #expect(outcome.status == 0)
  }
}
