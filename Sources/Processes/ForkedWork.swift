import CLinux
import Foundation

/// Work in a copy of this process. The copy ends with the work.
///
/// Linking a program with its libraries takes some 100 ms of processor time. Copying a process that has done so takes a
/// few, and the copies share nothing with each other.
public enum ForkedWork {
  /// Runs `body` in a copy of this process. The copy's standard output is passed on as one line, which ends after the
  /// copy has ended.
  ///
  /// The copy has neither this process's standard input nor its standard output. If a signal ends it, or its exit code
  /// is neither 0 nor 1, this process ends in the same way, so that its parent learns the cause. Only a process with a
  /// single thread may call this.
  ///
  /// - Parameter body: returns the copy's exit code.
  /// - Throws: ``ProcessError`` if the system cannot copy the process.
  public static func run(_ body: () -> Int32) throws(ProcessError) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw ProcessError("cannot start a process: no pipe", errno) }
    let parent = getpid()
    let copy = sheaf_fork()
    guard copy >= 0 else {
      let number = errno
      for end in ends { close(end) }
      throw ProcessError("cannot start a process", number)
    }
    if copy == 0 {
      _ = sheaf_die_with_parent()
      // The parent may have ended before that call.
      guard getppid() == parent, leaveParent(ends) else { _exit(1) }
      _exit(body())
    }
    close(ends[1])
    pass(ends[0])
    close(ends[0])
    let ending = ProcessEnding.wait(for: copy)
    guard [.exited(0), .exited(1)].contains(ending) else { end(as: ending) }
    send([UInt8(ascii: "\n")])
  }

  /// Replaces the parent's standard input and output with an empty input and the pipe to the parent.
  private static func leaveParent(_ ends: [Int32]) -> Bool {
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0, dup2(nothing, 0) == 0, dup2(ends[1], 1) == 1 else { return false }
    for end in ends + [nothing] where end > 2 { close(end) }
    return true
  }

  /// Passes on all arriving bytes except line feeds, until the end.
  private static func pass(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return }
      send(buffer.prefix(count).filter { $0 != UInt8(ascii: "\n") })
    }
  }

  private static func send(_ bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(1, $0.baseAddress?.advanced(by: sent), bytes.count - sent)
      }
      if count < 0 && errno == EINTR { continue }
      // The reader is gone, so no further request will come.
      guard count > 0 else { return }
      sent += count
    }
  }

  private static func end(as ending: ProcessEnding) -> Never {
    switch ending {
    case .exited(let code): _exit(code)
    case .signalled(let signal):
      _ = sheaf_signal(signal, nil)
      var ends = sigset_t()
      sigemptyset(&ends)
      sigaddset(&ends, signal)
      sigprocmask(SIG_UNBLOCK, &ends, nil)
      kill(getpid(), signal)
      _exit(128 + signal)
    }
  }
}
