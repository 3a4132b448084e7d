import CLinux
import Foundation

/// Work in a copy of this process. The copy ends with the work.
///
/// Linking a program with its libraries takes some 100 ms of processor time. Copying a process that has done so takes a
/// few, and the copies share nothing with each other.
public enum ForkedWork {
  /// Runs `body` in a copy of this process. The copy's message is passed on to `receiver` after the copy has ended; an
  /// empty one if there is none.
  ///
  /// The copy has neither the channel to the receiver nor this process's standard input and output. If a signal ends it,
  /// or its exit code is neither 0 nor 1, this process ends in the same way, so that its parent learns the cause. Only a
  /// process with a single thread may call this.
  ///
  /// - Parameters:
  ///   - largest: the maximum size of the copy's message, in bytes. A longer one is only announced to the receiver.
  ///   - body: sends a message over the channel, and returns the copy's exit code.
  /// - Throws: ``ProcessError`` if the system cannot copy the process.
  public static func run(
    answering receiver: MessageChannel, largest: Int = Patience.largestAnswer,
    _ body: (MessageChannel) -> Int32
  ) throws(ProcessError) {
    let (ours, theirs) = try Descriptors.socketPair()
    let parent = getpid()
    let id = sheaf_fork()
    guard id >= 0 else {
      let number = errno
      for end in [ours, theirs] { close(end) }
      throw ProcessError("cannot start a process", number)
    }
    if id == 0 {
      _ = sheaf_die_with_parent()
      // The parent may have ended before that call.
      guard getppid() == parent, leaveParent([ours, receiver.descriptor]) else { _exit(1) }
      _exit(body(MessageChannel(taking: theirs, largest: largest)))
    }
    close(theirs)
    let copy = ChildProcess(id: id)
    let answer = answer(of: copy, over: MessageChannel(taking: ours, largest: largest))
    let ending = copy.wait()
    switch answer {
    case .failure(.tooLong(let count)): receiver.announce(byteCount: count)
    case .failure(.invalid): receiver.send(Message(bytes: []))
    case .success, .failure:
      guard [.exited(0), .exited(1)].contains(ending) else { end(as: ending) }
      receiver.send((try? answer.get()) ?? Message(bytes: []))
    }
  }

  /// The copy's message. The channel is closed afterwards, so that the copy cannot wait for its parent.
  private static func answer(
    of copy: ChildProcess, over channel: MessageChannel
  ) -> Result<Message, MessageChannel.Silence> {
    channel.finish()
    do throws(MessageChannel.Silence) {
      let message = try channel.receive()
      if message.descriptor >= 0 { close(message.descriptor) }
      return .success(Message(kind: message.kind, bytes: message.bytes))
    } catch {
      if error != .end { copy.send(SIGKILL) }
      return .failure(error)
    }
  }

  /// Closes the parent's descriptors, and replaces its standard input and output with empty ones.
  private static func leaveParent(_ descriptors: [Int32]) -> Bool {
    for descriptor in descriptors { close(descriptor) }
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard nothing >= 0, dup2(nothing, 0) == 0, dup2(nothing, 1) == 1 else { return false }
    if nothing > 2 { close(nothing) }
    return true
  }

  private static func end(as ending: ProcessEnding) -> Never {
    switch ending {
    case .exited(let code): _exit(code)
    case .signalled(let number):
      signal(number, SIG_DFL)
      var ends = sigset_t()
      sigemptyset(&ends)
      sigaddset(&ends, number)
      sigprocmask(SIG_UNBLOCK, &ends, nil)
      kill(getpid(), number)
      _exit(128 + number)
    }
  }
}
