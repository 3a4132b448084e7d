import Foundation
import Support
import Testing

/// Tests with a program that tries what a process in a sandbox can and cannot do.
@Suite(.mayBlock) struct SandboxTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  /// The exit status of an attempt: 0, an error number, or minus a signal.
  private func attempt(_ name: String, _ path: String = "") throws -> Int32 {
    for kind in ["readable", "writable", "elsewhere"] {
      try FileManager.default.createDirectory(
        atPath: folder.path(kind), withIntermediateDirectories: true)
      try Data("media".utf8).write(to: URL(fileURLWithPath: folder.path("\(kind)/file")))
    }
    let outcome = try Program.confined.run([
      name, folder.path("readable"), folder.path("writable"), folder.path(path),
    ])
    #expect(outcome.status != 200, "\(outcome.standardOutput)")
    return outcome.status
  }

  @Test func `threads may be started`() throws { #expect(try attempt("thread") == 0) }

  @Test(arguments: ["exec", "root"])
  func `a system call that no library needs kills the process`(name: String) throws {
    #expect(try attempt(name) == -SIGSYS)
  }

  @Test(arguments: ["fork", "socket", "kill", "limit"])
  func `optional system calls fail without ending the process`(name: String) throws {
    #expect(try attempt(name) == EPERM)
  }

  @Test(arguments: [("buffer", EPERM), ("kept buffer", 0), ("kept broadcast", ENOSYS)])
  func `no option of an inherited socket can be changed`(option: String, status: Int32) throws {
    #expect(try attempt(option) == status)
  }

  @Test(arguments: ["own lock", "own flags", "own copy", "own processor"])
  func `system calls on the process itself are allowed`(name: String) throws {
    #expect(try attempt(name) == 0)
  }

  @Test(arguments: [
    ("owner", EPERM), ("owner in a struct", EPERM), ("signal", EPERM), ("readiness", EPERM),
    ("owner by ioctl", ENOTTY), ("readiness by ioctl", ENOTTY), ("processor", EPERM),
    ("priority", EPERM), ("queue", ENOSYS), ("foreign thread", ENOSYS), ("limits", EPERM),
    ("robust list", ENOSYS), ("end of parent", ENOSYS), ("timer", ENOSYS), ("ring", ENOSYS),
    ("memory of parent", -SIGSYS), ("trace", -SIGSYS), ("handle", -SIGSYS),
  ])
  func `other processes cannot be reached`(what: String, status: Int32) throws {
    #expect(try attempt(what) == status)
  }

  @Test(arguments: [
    ("request", ENOTTY), ("device: allowed", 0), ("device: other", ENOSYS),
    ("device: terminal", ENOTTY), ("device: disguised", ENOSYS),
  ])
  func `only the given requests can be made of a device`(what: String, status: Int32) throws {
    #expect(try attempt(what) == status)
  }

  @Test func `a crash is reported by its signal`() throws {
    #expect(try attempt("abort") == -SIGABRT)
  }

  @Test func `a process that exceeds its memory limit gets no more memory`() throws {
    #expect(try attempt("memory") == ENOMEM)
  }

  // The second one ignores SIGXCPU. The SIGKILL that then ends it is also reported as the limit.
  @Test(arguments: ["spin", "spin on"]) func `a process that exceeds its processor time is killed`(
    name: String
  ) throws {
    #expect(try attempt(name) == -SIGXCPU)
  }

  @Test func `a process that writes too large a file is killed`() throws {
    #expect(try attempt("fill", "writable/large") == -SIGXFSZ)
  }

  @Test(
    .enabled(if: Landlock.isPresent, "the kernel has no Landlock"),
    arguments: [
      ("read", "readable/file", 0), ("read", "writable/file", 0), ("write", "writable/new", 0),
      ("rewrite", "writable/file", 0), ("rewrite", "readable/file", EACCES),
      ("read", "elsewhere/file", EACCES), ("write", "readable/file", EACCES),
      ("write", "elsewhere/new", EACCES),
    ])
  func `only the given files are accessible`(what: String, path: String, status: Int32) throws {
    #expect(try attempt(what, path) == status)
  }

  @Test(arguments: ["mode", "times", "length", "content"])
  func `a file that may only be read cannot be changed`(what: String) throws {
    #expect(try attempt(what, "readable/file") == EPERM)
  }
}
