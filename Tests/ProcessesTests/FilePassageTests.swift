import Foundation
import Processes
import Support
import Testing

/// Open files that are passed from process to process.
@Suite(.mayBlock) struct FilePassageTests {
  private let pipe: SubprocessPipe

  init() throws { pipe = try SubprocessPipe() }

  private func inode(_ descriptor: Int32) -> UInt64 {
    var facts = stat()
    return fstat(descriptor, &facts) == 0 ? UInt64(facts.st_ino) : 0
  }

  @Test func `files are taken in the order in which they were passed`() throws {
    let passage = try FilePassage()
    #expect(passage.take("note") == nil)
    let other = try SubprocessPipe()
    #expect(FilePassage.pass(pipe.reading.fileDescriptor, to: passage.name, note: "note"))
    #expect(FilePassage.pass(other.reading.fileDescriptor, to: passage.name, note: "note"))
    for expected in [pipe, other] {
      let taken = try #require(passage.take("note"))
      #expect(inode(taken) == inode(expected.reading.fileDescriptor))
      #expect(fcntl(taken, F_GETFD) & FD_CLOEXEC != 0)
      close(taken)
    }
    #expect(passage.take("note") == nil)
  }

  @Test(arguments: ["other", "note ", "not", String(repeating: "n", count: 128)])
  func `a file that was passed with another note is not taken`(note: String) throws {
    let passage = try FilePassage()
    let file = pipe.reading.fileDescriptor
    #expect(FilePassage.pass(file, to: passage.name, note: note))
    #expect(FilePassage.pass(file, to: passage.name, note: "note"))
    let taken = try #require(passage.take("note"))
    #expect(inode(taken) == inode(file))
    close(taken)
    #expect(passage.take(note) == nil)
  }

  @Test(arguments: [0, 129]) func `a note has 1 to 128 bytes`(count: Int) throws {
    let passage = try FilePassage()
    let note = String(repeating: "n", count: count)
    #expect(!FilePassage.pass(pipe.reading.fileDescriptor, to: passage.name, note: note))
    #expect(passage.take(note) == nil)
  }

  @Test func `no file can be passed to a socket that is closed, or has never been`() throws {
    var passage: FilePassage? = try FilePassage()
    let name = try #require(passage?.name)
    passage = nil
    for name in [name, "", "none", String(repeating: "x", count: 1000)] {
      #expect(!FilePassage.pass(pipe.reading.fileDescriptor, to: name, note: "note"))
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can become another user"))
  func `a file of another user is not taken, nor passed to another user`() throws {
    let passage = try FilePassage()
    let script = """
      import array, os, socket, sys
      os.setuid(65534)
      stranger = socket.socket(socket.AF_UNIX)
      stranger.connect("\\0sheaf-" + sys.argv[1])
      stranger.sendmsg([b"note"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))])
      listener = socket.socket(socket.AF_UNIX)
      listener.bind("\\0sheaf-" + sys.argv[2])
      listener.listen()
      os.write(1, b"ready")
      sys.stdin.read()
      """
    let input = try SubprocessPipe()
    let output = try SubprocessPipe()
    let stranger = Subprocess(
      "/usr/bin/env", ["python3", "-c", script, passage.name, passage.name + "-2"])
    stranger.standardInput = .pipe(input)
    stranger.standardOutput = .pipe(output)
    try stranger.run()
    try output.writing.close()
    #expect(output.reading.availableData == Data("ready".utf8))
    #expect(passage.take("note") == nil)
    #expect(!FilePassage.pass(pipe.reading.fileDescriptor, to: passage.name + "-2", note: "note"))
    try input.writing.close()
    #expect(stranger.wait() == .exited(0))
  }
}
