import Foundation
import Processes
import Support
import Testing
import Threads

/// Starting, signaling and waiting for processes.
@Suite(.mayBlock, .timeLimit(.minutes(15))) struct SpawnTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func shell(
    _ script: String, _ descriptors: [Spawn.Descriptor], in directory: String? = nil
  ) -> Spawn {
    Spawn(
      "/bin/sh", ["sh", "-c", script], descriptors: descriptors, directory: directory,
      subject: "a shell")
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: folder.path(name), encoding: .utf8)
  }

  @Test func `a process has exactly the listed descriptors, in their order`() throws {
    let inherited = open("/dev/null", O_RDONLY)
    defer { close(inherited) }
    let pipe = try Descriptors.pipe()
    defer { for end in [pipe.reading, pipe.writing] { close(end) } }
    let output = folder.path("out")
    let process = try shell(
      "readlink /proc/self/fd/3; exec ls /proc/self/fd",
      [.null, .appending(output), .null, .copy(pipe.reading)]
    ).start()
    #expect(process.wait() == .exited(0))
    // The last one is the directory that `ls` reads.
    let lines = try text("out").split(separator: "\n")
    #expect(lines.first?.hasPrefix("pipe:") == true)
    #expect(lines.dropFirst() == ["0", "1", "2", "3", "4"])
  }

  @Test func `low descriptors can be given in any order`() throws {
    // Descriptors 0, 1 and 2 of this process become 2, 0 and 1.
    let process = try shell(
      "files=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo \"$files\" >&3",
      [.copy(1), .copy(2), .copy(0), .appending(folder.path("out"))]
    ).start()
    #expect(process.wait() == .exited(0))
    let own = [1, 2, 0].map {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) ?? ""
    }
    #expect(try text("out").split(separator: "\n").map(String.init) == own)
  }

  @Test func `a process that inherits an ignored SIGCHLD learns how its children end`() throws {
    #expect(try Program.confined.run(["ending"]).status == 7)
  }

  @Test func `a process runs at low priority if requested`() throws {
    let pipe = try Descriptors.pipe()
    let process = try shell(
      "read go; exec nice", [.copy(pipe.reading), .appending(folder.path("out"))]
    ).start()
    process.giveWay(by: 5)
    close(pipe.reading)
    close(pipe.writing)
    #expect(process.wait() == .exited(0))
    let own = getpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0)
    #expect(try text("out") == "\(min(own + 5, 19))\n")
  }

  /// The output that a process writes to a pipe until its end, while another process runs.
  private func output(of script: String) throws -> String {
    let pipe = try Descriptors.pipe()
    let output = FileHandle(fileDescriptor: pipe.reading, closeOnDealloc: true)
    let process = try shell(script, [.null, .copy(pipe.writing), .null]).start()
    close(pipe.writing)
    let other = try shell("exec sleep 1000", [.null, .null, .null]).start()
    defer {
      other.send(SIGKILL)
      other.wait()
      process.wait()
    }
    return String(decoding: try output.readToEnd() ?? Data(), as: UTF8.self)
  }

  @Test func `pipes of processes that start at the same time end with their own process`()
    async throws
  {
    // If another process had a copy of a writing end, its reader would not see the end until that process ends.
    let outputs = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<16 {
        group.addTask {
          try await BlockingThread.run(named: "output") { try output(of: "echo \(number)") }
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(outputs == Set((0..<16).map { "\($0)\n" }))
  }

  @Test func `a process starts in the given directory, with the given variables`() throws {
    var spawn = shell("pwd; echo $PLACE", [.null, .appending(folder.path("out"))], in: "/usr")
    spawn.environment = ["PLACE": "here"]
    #expect(try spawn.start().wait() == .exited(0))
    #expect(try text("out") == "/usr\nhere\n")
  }

  @Test func `the error for a program that does not exist names the program`() throws {
    let spawn = Spawn("/none", ["none"], descriptors: [], subject: "a test")
    let error = try #require(throws: ProcessError.self) { try spawn.start() }
    #expect(error.message == "cannot find the program /none: install it")
  }

  @Test func `a pinned program is started even after its file has been replaced`() throws {
    let path = folder.path("tool")
    try FileManager.default.copyItem(atPath: "/bin/true", toPath: path)
    let program = try SiblingProgram.pin(path)
    try FileManager.default.copyItem(atPath: "/bin/false", toPath: folder.path("new"))
    #expect(rename(folder.path("new"), path) == 0)
    let endings = try [program, path].map {
      try Spawn($0, ["tool"], descriptors: [.null, .null], subject: "a tool").start().wait()
    }
    #expect(endings == [.exited(0), .exited(1)])
    #expect(throws: ProcessError(notFound: folder.path("none"))) {
      try SiblingProgram.pin(folder.path("none"))
    }
  }

  @Test func `a process can be waited for several times`() throws {
    let process = try shell("exit 3", []).start()
    #expect(process.wait() == .exited(3))
    #expect(process.wait() == .exited(3))
    #expect(process.hasEnded)
    process.send(SIGKILL)
  }

  @Test func `a process that is killed ends with the signal`() throws {
    let process = try shell("exec sleep 1000", []).start()
    #expect(!process.ends(within: .zero))
    process.send(SIGTERM)
    #expect(process.ends(within: longestWait))
    #expect(process.wait() == .signaled(SIGTERM))
  }
}
