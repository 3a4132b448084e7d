import Foundation
import Processes
import Support
import Testing

/// Children that are copies of their program, tested with a program that starts some.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct ForkServerTests {
  /// The program. It starts a child for each name that it is told, and prints the child's answer.
  private let program: Subprocess
  private let names: SubprocessPipe
  private let answers: SubprocessPipe

  init() throws {
    program = Program.confined.process(["children"])
    program.environment.merge(["HOME": "/home/ada", "SECRET": "secret"]) { $1 }
    names = try SubprocessPipe()
    answers = try SubprocessPipe()
    program.standardInput = .pipe(names)
    program.standardOutput = .pipe(answers)
    try program.run()
  }

  /// The answer of a child, or how it ended.
  private func answer(of name: String) throws -> String {
    try names.writing.write(contentsOf: Data("\(name)\n".utf8))
    var line: [UInt8] = []
    while let byte = try answers.reading.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") {
      line.append(byte)
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Ends the program, and waits for it.
  private func end() throws {
    try names.writing.close()
    #expect(program.wait() == .exited(0))
  }

  private var server: pid_t {
    get throws {
      try #require(
        ChildProcesses.of(program.id).first {
          ChildProcesses.arguments(of: $0) == ["confined", "children"]
        })
    }
  }

  @Test(arguments: [
    ("parent", "true"), ("arguments", "confined,child,arguments"), ("environment", "HOME"),
    ("files", "0,1,2"), ("group", "true"), ("signals", "true true"), ("threads", "true"),
  ])
  func `a child has the state of a newly started program`(name: String, expected: String) throws {
    #expect(try answer(of: name) == expected)
    #expect(ChildProcesses.isAlive(try server))
    try end()
  }

  @Test func `a program can be the server of a process with threads`() throws {
    ForkServer.prepare(Program.confined.path, ["confined", "server"])
    let child = try ConnectedChild(
      Program.confined.path, ["confined", "child", "copy"], subject: "a child", largest: 1 << 10)
    child.channel.send(Message(bytes: Array("\(getpid())".utf8)))
    #expect(String(decoding: try child.channel.receive().bytes, as: UTF8.self) == "true true")
    try end()
  }

  @Test func `children do not see each other's state`() throws {
    #expect(try (0..<3).map { _ in try answer(of: "count") } == ["1", "1", "1"])
    #expect(ChildProcesses.isAlive(try server))
    try end()
  }

  @Test func `several threads start children at the same time`() throws {
    #expect(try answer(of: "eight at once") == "8")
    #expect(ChildProcesses.isAlive(try server))
    try end()
  }

  @Test(arguments: [
    ("abort", "was killed by signal 6 (Aborted)"),
    ("standard error", "ended with code 3 without an answer (last words)"),
  ])
  func `a program learns how its children ended, and continues`(name: String, ending: String)
    throws
  {
    #expect(try answer(of: name) == ending)
    #expect(try answer(of: "count") == "1")
    try end()
  }

  @Test func `a program whose server was killed starts its children itself`() throws {
    #expect(try answer(of: "parent") == "true")
    let server = try server
    kill(server, SIGKILL)
    for _ in 0..<2 { #expect(try answer(of: "parent") == "true") }
    #expect(kill(server, 0) == -1 && errno == ESRCH, "the server was not waited for")
    try end()
  }

  @Test func `neither the server nor a child outlives a program that is killed`() throws {
    #expect(try answer(of: "sleep") == "sleeps")
    let processes = ChildProcesses.of(program.id)
    #expect(processes.count == 2)
    program.destroy()
    try blockUntil("the children end") { !processes.contains(where: ChildProcesses.isAlive) }
  }
}
